#!/usr/bin/env python3
"""all-MiniLM-L6-v2 in plain floating point, to compare the program with. Needs numpy and tokenizers.

    python3 reference.py WHEEL > golden.json

Shares no code with the program: the pieces of a text are those of the `tokenizers` package by the
model's own tokenizer.json, and the vector is computed as the model's card describes it. WHEEL is
the file that pack.py packs.

golden.json has for each text its pieces and its vector, the latter as base64 of 384 numbers of 16
bits, little-endian, each the nearest multiple of 1/65536.
"""

import base64
import json
import math
import sys

import numpy
import tokenizers

from pack import MAX_TOKENS, open_wheel

ERF = numpy.vectorize(math.erf, otypes=["f8"])


class Reference:
    def __init__(self, wheel):
        files = open_wheel(wheel)
        self.config = files.config
        self.tensors = files.tensors
        self.tokenizer = tokenizers.Tokenizer.from_str(files.tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def pieces(self, text):
        return self.tokenizer.encode(text).ids

    def vector(self, text):
        return self.vector_of(self.pieces(text))

    def vector_of(self, pieces):
        """Returns the mean of the last layer's rows, of length 1."""
        embeddings = self.tensors["embeddings.word_embeddings.weight"][pieces]
        embeddings = embeddings + self.tensors["embeddings.position_embeddings.weight"][: len(pieces)]
        embeddings = embeddings + self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm("embeddings.LayerNorm", embeddings)
        for layer in range(self.config["num_hidden_layers"]):
            x = self.layer(f"encoder.layer.{layer}", x)
        mean = x.mean(0)
        return mean / numpy.linalg.norm(mean)

    def layer(self, name, x):
        attended = self.linear(f"{name}.attention.output.dense", self.attention(f"{name}.attention.self", x))
        x = self.norm(f"{name}.attention.output.LayerNorm", x + attended)
        wide = self.linear(f"{name}.intermediate.dense", x)
        wide = (0.5 * wide * (1 + ERF(wide / math.sqrt(2)))).astype("f4")
        return self.norm(f"{name}.output.LayerNorm", x + self.linear(f"{name}.output.dense", wide))

    def attention(self, name, x):
        heads = self.config["num_attention_heads"]
        width = x.shape[1] // heads
        query, key, value = (
            self.linear(f"{name}.{part}", x).reshape(-1, heads, width).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        weights = query @ key.transpose(0, 2, 1) / math.sqrt(width)
        weights = numpy.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ value).transpose(1, 0, 2).reshape(x.shape)

    def linear(self, name, x):
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        spread = numpy.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return x / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]


# Memories, prompts and odd texts. The last ones have no known piece, or too many.
TEXTS = """\
Chose PostgreSQL over MySQL because of JSON support
which database do we use
what database should we use?
which message queue did we pick
RabbitMQ was replaced by NATS in March
how verbose should I be
Keep answers short, the user dislikes long explanations
Deploying to Fly.io for production.
where is our app deployed?
Fix flaky Playwright tests on CI by adding retries
Never commit directly to main; open a pull request
The staging database is restored from last night's backup
Prefer tabs over spaces in Go files
Run `cargo fmt` and `cargo clippy -- -D warnings` before every commit
SQLSTATE 40001 from a SERIALIZABLE transaction must be retried as a whole
`idle_in_transaction_session_timeout = 15s` turned silent pool leaks into visible errors
Invoices are numbered without gaps
The coffee machine on the second floor is broken
Certificates expire at the end of March
go on
ok
a
I
?
...
--help
v1.2.3-rc.4+build
snake_case_identifier fooBarBaz 0xDEADBEEF /etc/passwd
https://example.org:8080/path?query=1&other=two#fragment
fn main() { println!("{}", 6 * 7); }
SELECT count(*) FROM orders WHERE paid_at IS NULL;
error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable
e-mail ops@example.org when the queue is longer than 10,000 messages
Der Server wird jede Nacht um drei Uhr neu gestartet
Welche Datenbank benutzen wir?
Nous utilisons PostgreSQL pour le développement et la production
Usamos una base de datos en memoria para las pruebas
Il server di prova è sempre acceso
O banco de dados é copiado às três da manhã
naïve café, ÜBER, Ångström, smörgåsbord
C'est la vie 你好 émoji 🎉
数据库在每天凌晨三点备份
データベースは毎日バックアップされます
데이터베이스는 매일 백업됩니다
Привет, как дела? База данных обновлена
Η βάση δεδομένων είναι αργή
قاعدة البيانات بطيئة جدا
ｆｕｌｌ ｗｉｄｔｈ １２３
ﬁnal ﬂush ①②③ ½ ™ ℃
„Anführung“ «guillemets» — – … ‽
pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism
supercalifragilisticexpialidociousness-driven development
a\u200db\u200cc soft\u00adhyphen
tabs\tand\u00a0hard\u2003spaces
Release 🚀 on Fridays only 👍
The build takes 14 minutes and 37 seconds on 8 cores with 32 GiB of memory""".split("\n")
TEXTS = [text.encode().decode("unicode_escape") if text.isascii() and "\\u" in text else text for text in TEXTS]
TEXTS += [
    " ".join(f"Step {n}: wait until job {n * 7} has ended, then look at its log." for n in range(40)),
    "x" * 100 + " " + "y" * 101,
    "🚀🎉",
    "",
]


def main():
    reference = Reference(sys.argv[1])

    def line(text):
        pieces = reference.pieces(text)
        vector = numpy.rint(reference.vector_of(pieces) * 65536).astype("<i2")
        return {"text": text, "pieces": pieces, "vector": base64.b64encode(vector.tobytes()).decode()}

    lines = ",\n".join(json.dumps(line(text)) for text in TEXTS)
    print(f"[\n{lines}\n]")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
