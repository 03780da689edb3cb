//! Lines of a shell, and what a guard sees of them.

use proptest::{prop_assert, proptest};

use super::shell::{SimpleCommand, commands};

fn lines(line: &str) -> Vec<String> {
    commands(line).iter().flat_map(SimpleCommand::lines).collect()
}

#[test]
fn simple_commands() {
    for (line, want) in [
        ("git push --force", "git push --force"),
        ("cd x && git push origin main --force", "cd x|git push origin main --force"),
        ("bash -c 'git push -f --force'", "git push -f --force|bash -c"),
        ("sudo -u root env A=1 B=\"c d\" rm -rf /", "rm -rf /"),
        ("FOO=bar make; ls | wc -l", "make|ls|wc -l"),
        ("echo 'git push --force'", "echo"),
        ("git commit -m 'never git push --force' -q", "git commit -m -q"),
        ("psql -c \"DROP TABLE x\"", "psql -c DROP TABLE x"),
        ("a $(git push --force) b", "git push --force|a  b"),
        ("echo \"$(rm x)\" `rm y`", "rm x|rm y|echo  "),
        ("if true; then rm x; fi", "true|rm x|fi"),
        ("(cd a; rm b) # rm c", "cd a|rm b"),
        ("git \\\n push", "git push"),
        ("'unclosed rm", "unclosed rm"),
        ("sh -xc \"sh -c 'sh -c \\\"rm x\\\"'\"", "rm x|sh -c|sh -c|sh -xc"),
        ("find . | xargs -n 1 rm", "find .|rm"),
        ("/usr/bin/git push", "/usr/bin/git push"),
        ("timeout 10 rm x; cmd /c del y", "rm x|del y"),
        ("find . -exec rm {} \\; -o -print", "rm {}|find . -exec rm {} ; -o -print"),
        ("git -C a -c b=c push -f", "git -C a -c b=c push -f|git push -f"),
        ("cargo +nightly --color never test x", "cargo +nightly --color never test x|cargo test x"),
        ("rg 'git push' src | git.exe log --grep 'rm x'", "rg src|git.exe log --grep"),
        ("", ""),
    ] {
        let want: Vec<&str> = want.split('|').filter(|want| !want.is_empty()).collect();
        assert_eq!(lines(line), want, "{line}");
    }
}

#[test]
fn lines_below() {
    let commit =
        "git commit -m \"$(cat <<'EOF'\nfix: it's \"so\" (1)\n\nrm a) > b\nEOF\n)\" && rm c";
    for (line, want) in [
        (commit, "cat|git commit -m |rm c"),
        ("cat <<'A' > a <<-\"B\" && ls\nrm x\nA\n\trm y\n\tB\nrm z", "cat|ls|rm z"),
        ("bash <<EOF\nrm x\nEOF", "rm x|bash"),
        ("cat <<EOF | sudo sh -x\nrm x\nEOF", "cat|rm x|sh -x"),
        ("cat <<EOF | sh run\nrm x\nEOF", "cat|sh run"),
        ("cat <<EOF\na $(rm x) b\nEOF", "rm x|cat"),
        ("cat <<'EOF'\na $(rm x) b\nEOF", "cat"),
        ("echo $((1<<2))\nrm x", "1<<2|echo |rm x"),
        ("cat <<EOF\nrm x", "cat <<EOF|rm x"),
        ("bash <<< 'rm x'", "bash <<< rm x"),
        ("sudo psql db <<'EOF' && ls\nDROP TABLE x;\n-- y\nEOF", "psql db|DROP TABLE x;|-- y|ls"),
    ] {
        assert_eq!(lines(line), want.split('|').collect::<Vec<_>>(), "{line}");
    }
    let text = |line| commands(line).iter().find_map(|one| Some(one.text()?.into_owned()));
    assert_eq!(text("cat >> a <<E\nb\n\nc\nE\n").as_deref(), Some("b\n\nc\n"));
    assert_eq!(text("echo 'a b' c > d").as_deref(), Some("a b c"));
    assert_eq!(text("wc <<E\nb\nE\n"), None);
    assert_eq!(text("Set-Content -Path a -Value 'b c'").as_deref(), Some("b c"));
    assert_eq!(text("ac a b").as_deref(), Some("b"));
}

/// No line makes the parser fail, and it finds no character that the line has not.
#[test]
fn any_line() {
    let whole = "cat <<A 'x\nA\ny)' $(z\n) && rm b";
    assert!(commands(whole).iter().any(|one| one.words == ["rm", "b"]));
    proptest!(|(line in "[<>|&;()'\"`$\\\\ \nAab-]{0,60}")| {
        for command in commands(&line) {
            let words = command.words.iter().chain(&command.written);
            for c in words.flat_map(|word| word.chars()) {
                prop_assert!(line.contains(c), "{line:?}: {command:?}");
            }
            drop(command.changed());
            prop_assert!(command.lines().count() > 0);
        }
    });
}

#[test]
fn changed_files() {
    for (line, want) in [
        ("rm -rf a 'b c'", "-a,-b c"),
        ("git mv a b && git rm -q c", "b,b/a,-a,-c"),
        ("mv x/a b", "b,b/a,-x/a"),
        ("sed -i 's/x/y/' a", "s/x/y/,a"),
        ("sed -n p a", ""),
        ("echo x > a; echo y >>b 2>&1", "a,b"),
        ("cat a | tee -a b >/dev/null", "b,/dev/null"),
        ("cp a c/ b; cp -r d/. e; cp -t f g", "b,b/a,b/c,e,e/*,f,f/g"),
        ("> a", "a"),
        ("make 2> log", "log"),
        ("make &> log", "log"),
        ("echo '> a'", ""),
        ("git -C x rm a; dd if=a of=b; patch -p1 c", "-a,b,c"),
        ("find a b -delete; find c", "-a,-b"),
        ("find . a -type f -name '*.x' -delete", "./*.x,a/*.x"),
        ("rm -r * a/* b*", "-.,-a/,-b*"),
        ("cat > a <<EOF\n> b\nrm c\nEOF\nrm d", "a,-d"),
        (
            "curl -sSLo a b; wget -qO c d; sort --output=e f; curl g; rsync -a h/ i/",
            "a,c,e,i/,i//h",
        ),
        ("awk -i inplace 1 a; touch b; touch c\\ d", "inplace,1,a,b,c d"),
        // As PowerShell and cmd have it.
        ("Remove-Item -Recurse a,b; ri .\\c; del x\\d.e; rm .\\.f", "-a,-b,-./c,-x/d.e,-./.f"),
        ("Set-Content -Value x -Path a; 'y' | Out-File \"b\\c\"; ni d -ItemType File", "a,b/c,d"),
        ("Move-Item a -Destination b; Copy-Item -Path c -Destination d", "b,b/a,-a,d,d/c"),
    ] {
        let found = commands(line);
        let changed = found.iter().map(SimpleCommand::changed).map(|changed| {
            let removed = changed.removed.iter().map(|file| format!("-{file}"));
            changed.written.iter().map(ToString::to_string).chain(removed).collect::<Vec<_>>()
        });
        assert_eq!(changed.collect::<Vec<_>>().concat().join(","), want, "{line}");
    }
    let dirs: Vec<_> =
        commands("cd a; cd b && rm c; cd /d; ls").into_iter().map(|one| one.dir).collect();
    let some = |dir: &str| Some(dir.to_owned());
    assert_eq!(dirs, [None, some("a"), some("a/b"), some("a/b"), some("/d")]);
}
