//! A build without the feature `fastembed` has only the models that are built in, and reports that.

use crate::common::sandbox::Sandbox;

#[test]
fn other_models_are_not_in_this_build() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let want = "this build has no models but those built in";
    let refused = sandbox.run(&["model", "pull", "bge-small-en-v1.5"]).refused();
    assert!(refused.contains(want), "{refused}");
    let refused = sandbox.run(&["model", "embed", "--runtime", "/x", "/y"]);
    assert_eq!((refused.code, refused.stdout.contains(want)), (2, true));
    assert!(sandbox.run(&["model", "status"]).ok().contains("static"));
    assert!(sandbox.run(&["model", "list"]).ok().contains("bge-small-en-v1.5"));
}
