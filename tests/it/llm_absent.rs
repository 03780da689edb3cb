//! The messages about language models in a build without the feature `llm`.

use crate::common::{
    provider::{Provider, Reply, command},
    sandbox::Sandbox,
};

#[test]
fn providers_are_absent_and_programs_are_not() {
    let (sandbox, provider) = (Sandbox::new("empty"), Provider::start(vec![Reply::openai("hi")]));
    let check = || sandbox.run(&["model", "check", "observer"]);
    for name in ["openai", "anthropic", "gemini", "ollama"] {
        provider.serve(&sandbox, "observer", name);
        let refused = check().refused();
        let message = format!("this pimem was built without the provider {name}\n");
        assert!(refused.contains(&message) && refused.contains("command"), "{refused}");
    }
    assert_eq!(provider.requests().len(), 0);
    command(&sandbox, "observer", "echo hi");
    assert!(check().ok().ends_with(" ms: hi\n"));
}
