//! Tests of packing by reading what was packed.

use super::{
    pack::{Pack, PackError, PackPooling, Shape},
    packer::{Original, pack},
};

const SHAPE: Shape = Shape {
    layers: 2,
    hidden: 32,
    heads: 2,
    inner: 48,
    pieces: 5,
    positions: 6,
    pooling: PackPooling::First,
    epsilon: 1e-12,
};

const ORIGINAL: Original = Original { shape: SHAPE, positions: 8, segments: 2 };

/// Returns numbers between -1 and 1 that depend on the name; zeros in the first row of the pieces.
fn tensor(name: &str, sizes: &[usize]) -> Vec<f32> {
    let count: usize = sizes.iter().product();
    let seed = name.bytes().fold(7_usize, |seed, byte| (seed * 31 + usize::from(byte)) % 10_007);
    let number = |at: usize| ((at * 7919 + seed * 104_729) % 1009) as f32 / 504.5 - 1.0;
    let blank = if name.contains("word") { 32 } else { 0 };
    (0..count).map(|at| if at < blank { 0.0 } else { number(at) }).collect()
}

#[test]
fn what_is_packed_is_read() {
    let mut names = Vec::new();
    let bytes = pack::<PackError>(&ORIGINAL, &[9; 32], &mut |name, sizes| {
        names.push(name.to_owned());
        Ok(tensor(name, sizes))
    });
    let bytes = bytes.unwrap();
    assert_eq!(
        (names.len(), names.iter().filter(|name| name.contains("layer.1.")).count()),
        (37, 16)
    );
    let read = Pack::read(&bytes, &[9; 32]).unwrap();
    assert_eq!(read.verify(), Ok(()));
    assert_eq!(read.shape, SHAPE);
    let pieces = tensor("embeddings.word_embeddings.weight", &[5, 32]);
    let places = tensor("embeddings.position_embeddings.weight", &[8, 32]);
    let kinds = tensor("embeddings.token_type_embeddings.weight", &[2, 32]);
    for (token, place) in [(0, 0), (4, 5), (2, 3)] {
        let mut row = vec![0.0; 32];
        read.embedding(token, place, &mut row);
        for (at, x) in row.iter().enumerate() {
            let piece = pieces[usize::from(token) * 32 + at];
            let want = piece + (places[place * 32 + at] + kinds[at]);
            assert!((x - want).abs() <= 0.51 / 127.0, "{token} {place} {at}: {x} {want}");
        }
    }
    // A weight is the product of three numbers.
    let query = tensor("encoder.layer.1.attention.self.query.weight", &[32, 32]);
    let value = tensor("encoder.layer.1.attention.self.value.weight", &[32, 32]);
    let matrix = read.layers[1].qkv;
    let float = |bytes: &[[u8; 4]], at: usize| f32::from_le_bytes(bytes[at]);
    for (output, input, want) in
        [(0, 0, query[0]), (17, 30, query[17 * 32 + 30]), (95, 7, value[31 * 32 + 7])]
    {
        let at = 64 * (output / 16 * 8 + input / 4)
            + 32 * (input % 4 / 2)
            + 2 * (output % 16)
            + input % 2;
        let weight = f32::from(matrix.weights[at].cast_signed());
        let weight = weight * float(matrix.factors, output) * float(matrix.inputs, input);
        assert!((weight - want).abs() < 0.01, "{output} {input}: {weight} {want}");
    }
    let bias = tensor("encoder.layer.1.attention.self.value.bias", &[32]);
    assert_eq!(matrix.summands[64], bias[0].to_le_bytes());
}

#[test]
fn what_cannot_be_computed_is_not_packed() {
    let wrong = |change: fn(&mut Original)| {
        let mut original = ORIGINAL;
        change(&mut original);
        pack::<PackError>(&original, &[0; 32], &mut |_, _| panic!("nothing is read")).unwrap_err()
    };
    for (change, want) in [
        ((|it| it.shape.hidden = 40) as fn(&mut Original), "the numbers of a token"),
        (|it| it.shape.hidden = usize::MAX, "the numbers of a token"),
        (|it| it.shape.layers = 1 << 40, "its layers"),
        (|it| it.shape.pieces = 250_000, "its vocabulary"),
        (|it| it.shape.heads = 0, "its heads"),
        (|it| it.shape.epsilon = f32::NAN, "what is added to variances"),
        (|it| it.positions = 5, "the tokens of a text"),
        (|it| it.segments = 0, "the tokens of a text"),
    ] {
        assert_eq!(wrong(change), PackError::Shape(want));
    }
}
