//! Places for labels that must not overlap.

/// Returns the tops of blocks of these heights, each as near to its middle as the others allow, with
/// `gap` between them, in the order of their middles, and within `room` if they fit.
pub(super) fn spread(middles: &[f64], heights: &[f64], gap: f64, room: (f64, f64)) -> Vec<f64> {
    let mut order: Vec<(usize, f64, f64)> = middles
        .iter()
        .zip(heights)
        .enumerate()
        .map(|(number, (middle, height))| (number, *middle, *height))
        .collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    // Blocks that touch move as one, around the mean of where they would be.
    let mut runs: Vec<Run> = Vec::new();
    for (_, middle, height) in &order {
        let mut run = Run { wish: middle - height / 2.0, blocks: 1.0, height: height + gap };
        while let Some(above) = runs.pop_if(|above| above.top(room) + above.height > run.top(room))
        {
            let below = run.wish - above.height;
            let blocks = above.blocks + run.blocks;
            let wish = (above.wish * above.blocks + below * run.blocks) / blocks;
            run = Run { wish, blocks, height: above.height + run.height };
        }
        runs.push(run);
    }
    let mut tops = vec![room.0; middles.len()];
    let mut blocks = order.iter();
    for run in &runs {
        let mut top = run.top(room);
        let mut left = run.blocks;
        while left > 0.5
            && let Some((number, _, height)) = blocks.next()
        {
            if let Some(place) = tops.get_mut(*number) {
                *place = top;
            }
            top += height + gap;
            left -= 1.0;
        }
    }
    tops
}

/// Blocks one below the other.
struct Run {
    /// Where the first one would be if there were no others.
    wish: f64,
    blocks: f64,
    height: f64,
}

impl Run {
    fn top(&self, room: (f64, f64)) -> f64 {
        self.wish.min(room.1 - self.height).max(room.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_stay_where_they_have_room() {
        assert_eq!(spread(&[50.0, 20.0], &[10.0, 10.0], 2.0, (0.0, 100.0)), [45.0, 15.0]);
        assert_eq!(spread(&[50.0, 50.0], &[10.0, 10.0], 2.0, (0.0, 100.0)), [39.0, 51.0]);
        assert_eq!(spread(&[99.0], &[10.0], 2.0, (0.0, 100.0)), [88.0]);
        assert_eq!(spread(&[], &[], 2.0, (0.0, 100.0)), [0.0; 0]);
    }

    proptest! {
        #[test]
        fn blocks_do_not_overlap(
            blocks in prop::collection::vec((0.0..400.0_f64, 5.0..40.0_f64), 1..30)
        ) {
            let (middles, heights): (Vec<f64>, Vec<f64>) = blocks.iter().copied().unzip();
            let all = heights.iter().map(|height| height + 3.0).sum::<f64>();
            let room = (50.0, 50.0 + all.max(400.0));
            let tops = spread(&middles, &heights, 3.0, room);
            let mut placed: Vec<(f64, f64)> = tops.into_iter().zip(heights).collect();
            placed.sort_by(|one, other| one.0.total_cmp(&other.0));
            prop_assert!(placed[0].0 >= room.0 - 1e-6);
            for pair in placed.windows(2) {
                prop_assert!(pair[0].0 + pair[0].1 + 3.0 <= pair[1].0 + 1e-6, "{:?}", placed);
            }
            let (top, height) = placed[placed.len() - 1];
            prop_assert!(top + height <= room.1 + 1e-6);
        }
    }
}
