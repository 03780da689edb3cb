//! The rules: what tokens begin with, how many characters follow, and which.

/// A token: what it begins with, how many characters must follow, and which.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    pub(super) least: usize,
    pub(super) alphabet: fn(char) -> bool,
}

const fn rule(
    name: &'static str,
    prefix: &'static str,
    least: usize,
    alphabet: fn(char) -> bool,
) -> Rule {
    Rule { name, prefix, least, alphabet }
}

pub(super) fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn dashed(c: char) -> bool {
    word(c) || c == '-'
}

fn dotted(c: char) -> bool {
    dashed(c) || c == '.'
}

fn path(c: char) -> bool {
    dashed(c) || c == '/'
}

fn upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn hex(c: char) -> bool {
    c.is_ascii_hexdigit()
}

/// Lengths are those that the services document or issue. What a service calls public (publishable
/// keys, account numbers) is no secret and has no rule, nor have keys of test modes, which stand in
/// every tutorial.
pub(super) const RULES: &[Rule] = &[
    rule("an AWS access key", "AKIA", 16, upper),
    rule("an AWS access key", "ASIA", 16, upper),
    rule("a GitHub token", "ghp_", 36, word),
    rule("a GitHub token", "gho_", 36, word),
    rule("a GitHub token", "ghu_", 36, word),
    rule("a GitHub token", "ghs_", 36, word),
    rule("a GitHub token", "ghr_", 36, word),
    rule("a GitHub token", "github_pat_", 40, word),
    rule("a GitLab token", "glpat-", 20, dashed),
    rule("a GitLab token", "gldt-", 20, dashed),
    rule("a GitLab token", "glrt-", 20, dashed),
    rule("a GitLab token", "glptt-", 40, hex),
    rule("a Slack token", "xoxb-", 20, dashed),
    rule("a Slack token", "xoxp-", 20, dashed),
    rule("a Slack token", "xoxa-", 20, dashed),
    rule("a Slack token", "xoxs-", 20, dashed),
    rule("a Slack token", "xapp-", 20, dashed),
    rule("a Slack webhook", "hooks.slack.com/services/T", 40, path),
    rule("a Discord webhook", "discord.com/api/webhooks/", 80, path),
    rule("a Stripe key", "sk_live_", 16, word),
    rule("a Stripe key", "rk_live_", 16, word),
    rule("a Stripe webhook secret", "whsec_", 32, plain),
    rule("an Anthropic key", "sk-ant-", 20, dashed),
    rule("an OpenAI key", "sk-proj-", 20, dashed),
    rule("an OpenAI key", "sk-svcacct-", 20, dashed),
    rule("an OpenAI key", "sk-admin-", 40, dashed),
    rule("an OpenAI key", "sk-", 40, plain),
    rule("an OpenRouter key", "sk-or-v1-", 64, hex),
    rule("a Groq key", "gsk_", 52, plain),
    rule("an xAI key", "xai-", 80, plain),
    rule("a Perplexity key", "pplx-", 48, plain),
    rule("a Replicate token", "r8_", 37, plain),
    rule("an NVIDIA key", "nvapi-", 60, dashed),
    rule("a Hugging Face token", "hf_", 34, plain),
    rule("a LangSmith key", "lsv2_pt_", 43, word),
    rule("a LangSmith key", "lsv2_sk_", 43, word),
    rule("a Google API key", "AIza", 35, dashed),
    rule("a Google OAuth secret", "GOCSPX-", 28, dashed),
    rule("a Google access token", "ya29.", 60, dotted),
    rule("an npm token", "npm_", 36, plain),
    rule("a PyPI token", "pypi-AgE", 50, dashed),
    rule("a RubyGems key", "rubygems_", 48, hex),
    rule("a Docker Hub token", "dckr_pat_", 27, dashed),
    rule("a DigitalOcean token", "dop_v1_", 64, hex),
    rule("a DigitalOcean token", "doo_v1_", 64, hex),
    rule("a DigitalOcean token", "dor_v1_", 64, hex),
    rule("a Shopify token", "shpat_", 32, hex),
    rule("a Shopify token", "shpca_", 32, hex),
    rule("a Shopify token", "shppa_", 32, hex),
    rule("a Shopify token", "shpss_", 32, hex),
    rule("a Databricks token", "dapi", 32, hex),
    rule("a Vault token", "hvs.", 24, dashed),
    rule("a Vault token", "hvb.", 100, dashed),
    rule("a SendGrid key", "SG.", 66, dotted),
    rule("a Brevo key", "xkeysib-", 81, dashed),
    rule("a Twilio key", "SK", 32, hex),
    rule("a New Relic key", "NRAK-", 27, upper),
    rule("a Grafana token", "glsa_", 41, word),
    rule("a Grafana token", "glc_", 32, plain),
    rule("a Sentry token", "sntryu_", 64, hex),
    rule("a Linear key", "lin_api_", 40, plain),
    rule("a Notion token", "ntn_", 40, plain),
    rule("a Postman key", "PMAK-", 59, dashed),
    rule("a Doppler token", "dp.pt.", 40, plain),
    rule("a Figma token", "figd_", 40, dashed),
    rule("an Atlassian token", "ATATT3xFfGF0", 100, dashed),
    rule("a Pulumi token", "pul-", 40, hex),
    rule("a PlanetScale password", "pscale_pw_", 32, dotted),
    rule("a PlanetScale token", "pscale_tkn_", 32, dotted),
    rule("a Supabase token", "sbp_", 40, hex),
    rule("a Buildkite token", "bkua_", 40, hex),
    rule("a SonarQube token", "squ_", 40, hex),
    rule("a SonarQube token", "sqp_", 40, hex),
    rule("a Tailscale key", "tskey-", 24, dashed),
    rule("a JSON web token", "eyJ", 60, dotted),
    rule("an age key", "AGE-SECRET-KEY-1", 50, upper),
];
