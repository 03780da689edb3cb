//! Rules for tokens: a fixed prefix or anchor, lengths and alphabets.

use super::value::is_random;

/// A token with a fixed prefix, followed by at least `least` characters of `alphabet`.
pub(super) struct SecretRule {
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
) -> SecretRule {
    SecretRule { name, prefix, least, alphabet }
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

fn small(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

fn hex_dashed(c: char) -> bool {
    hex(c) || c == '-' || c == '_'
}

fn address(c: char) -> bool {
    path(c) || c == '@'
}

fn base64(c: char) -> bool {
    word(c) || "+/=".contains(c)
}

fn percent(c: char) -> bool {
    base64(c) || "%-.".contains(c)
}

fn macaroon(c: char) -> bool {
    base64(c) || c == '-'
}

fn dollar(c: char) -> bool {
    plain(c) || c == '$'
}

fn tilde(c: char) -> bool {
    dotted(c) || c == '~'
}

fn hex_dotted(c: char) -> bool {
    hex(c) || c == '.'
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A token with a fixed anchor in its middle.
pub(super) struct Around {
    pub(super) name: &'static str,
    /// Minimum and maximum number of characters before the anchor, and their alphabet.
    pub(super) before: (usize, usize, fn(char) -> bool),
    pub(super) anchor: &'static str,
    /// Minimum number of characters after the anchor, and their alphabet.
    pub(super) after: (usize, fn(char) -> bool),
    /// Additional check of the whole token.
    pub(super) fits: fn(&str) -> bool,
}

const fn around(
    name: &'static str,
    before: (usize, usize, fn(char) -> bool),
    anchor: &'static str,
    after: (usize, fn(char) -> bool),
    fits: fn(&str) -> bool,
) -> Around {
    Around { name, before, anchor, after, fits }
}

fn any(_: &str) -> bool {
    true
}

/// A bot's number in Base64, a time, and a signature.
fn discord(token: &str) -> bool {
    let parts: Vec<&str> = token.split('.').collect();
    let [number, time, signature] = parts.as_slice() else { return false };
    number.starts_with(['M', 'N', 'O'])
        && number.contains(digit)
        && (6..=7).contains(&time.len())
        && signature.len() >= 27
        && signature.contains(digit)
}

/// Lengths are from the same sources as those of [`RULES`].
pub(super) const AROUND: &[Around] = &[
    around("a Telegram bot token", (8, 10, digit), ":A", (34, dashed), any),
    around("a Discord token", (23, 28, dashed), ".", (34, dotted), discord),
    around("an Airtable token", (17, 17, plain), ".", (64, hex), |t| t.starts_with("pat")),
    around("a Resend key", (11, 11, word), "_", (24, plain), |t| t.starts_with("re_")),
    around("a Mailchimp key", (32, 32, hex), "-us", (1, digit), any),
    around("an Azure client secret", (4, 4, tilde), "Q~", (31, tilde), any),
    around("a Terraform token", (14, 14, plain), ".atlasv1.", (60, dashed), any),
    around("an Asana token", (16, 19, asana), ":", (32, hex), |t| t.contains('/')),
    around("a Firebase key", (11, 11, dashed), ":APA91b", (100, dashed), any),
    around("a MaxMind key", (36, 36, word), "_mmk", (0, plain), any),
    around("a Voyage key", (2, 2, plain), "-", (43, dashed), voyage),
    around("an Azure DevOps token", (76, 76, plain), "AZDO", (4, plain), any),
];

/// Dashes may be in a key, but a slug of words is none.
fn voyage(token: &str) -> bool {
    token.strip_prefix("pa-").is_some_and(|body| {
        body.contains(digit) && body.contains(char::is_uppercase) && is_random(body)
    })
}

fn asana(c: char) -> bool {
    digit(c) || c == '/'
}

/// Lengths are those that the services document or issue. Values that a service calls public
/// (publishable keys, account numbers) are not secret and have no rule. Neither have keys of test
/// modes, which appear in every tutorial.
pub(super) const RULES: &[SecretRule] = &[
    rule("a key of pimem-server", "pmk_", 50, word),
    rule("an OpenAI session token", "sess-", 40, plain),
    rule("a Cursor key", "key_", 64, hex),
    rule("an Infisical token", "st.", 80, hex_dotted),
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
    rule("an AWS session token", "IQoJb3JpZ2lu", 100, base64),
    rule("an AWS Bedrock key", "ABSK", 100, base64),
    rule("an Alibaba access key", "LTAI", 20, plain),
    rule("a Tencent access key", "AKID", 32, plain),
    rule("a GitLab token", "glcbt-", 20, dashed),
    rule("a GitLab token", "glft-", 20, dashed),
    rule("a GitLab token", "glimt-", 20, dashed),
    rule("a GitLab token", "glagent-", 40, dashed),
    rule("a GitLab token", "gloas-", 40, dashed),
    rule("a GitLab token", "glsoat-", 20, dashed),
    rule("a GitLab token", "glffct-", 20, dashed),
    rule("a GitLab token", "GR1348941", 20, dashed),
    rule("a Bitbucket password", "ATBB", 24, plain),
    rule("an Atlassian token", "ATATT3", 60, dashed),
    rule("an Atlassian token", "ATCTT3", 60, dashed),
    rule("a Trello token", "ATTA", 60, hex),
    rule("a Slack token", "xoxe-", 40, dashed),
    rule("a Slack token", "xoxc-", 30, dashed),
    rule("a Slack token", "xoxd-", 30, percent),
    rule("a Slack token", "xoxr-", 20, dashed),
    rule("a Teams webhook", "webhook.office.com/webhookb2/", 60, address),
    rule("a HubSpot token", "pat-na1-", 36, hex_dashed),
    rule("a HubSpot token", "pat-eu1-", 36, hex_dashed),
    rule("a Sentry token", "sntrys_", 60, base64),
    rule("a 1Password token", "ops_eyJ", 60, base64),
    rule("a Netlify token", "nfp_", 36, plain),
    rule("a Fly.io token", "fo1_", 40, dashed),
    rule("a Fly.io token", "FlyV1 ", 40, macaroon),
    rule("a Fly.io token", "fm2_", 60, macaroon),
    rule("a Heroku key", "HRKU-", 36, dashed),
    rule("a Cloudflare key", "v1.0-", 60, hex_dashed),
    rule("a Pinecone key", "pcsk_", 40, word),
    rule("a Tavily key", "tvly-", 20, dashed),
    rule("a Sourcegraph token", "sgp_", 40, hex_dashed),
    rule("a Sourcegraph token", "slk_", 60, hex),
    rule("a Contentful token", "CFPAT-", 40, dashed),
    rule("a Dynatrace token", "dt0c01.", 60, dotted),
    rule("a Dynatrace token", "dt0s16.", 60, dotted),
    rule("a Plaid token", "access-production-", 36, hex_dashed),
    rule("a token of a crate registry", "cio", 32, plain),
    rule("a NuGet key", "oy2", 43, small),
    rule("a Square token", "sq0atp-", 22, dashed),
    rule("a Square secret", "sq0csp-", 40, dashed),
    rule("a Square token", "EAAA", 60, dashed),
    rule("an EasyPost key", "EZAK", 54, plain),
    rule("a Facebook token", "EAA", 80, plain),
    rule("a Mailgun key", "key-", 32, hex),
    rule("a Google refresh token", "1//0", 40, dashed),
    rule("a Google authorization code", "4/0A", 60, dashed),
    rule("an Okta token", "SSWS ", 40, dashed),
    rule("a shared access signature", "sig=", 40, percent),
    rule("a Doppler token", "dp.st.", 40, dotted),
    rule("a Doppler token", "dp.sa.", 40, plain),
    rule("a Doppler token", "dp.ct.", 40, plain),
    rule("a Grafana token", "eyJrIjoi", 40, base64),
    rule("a New Relic key", "NRII-", 32, dashed),
    rule("a Notion token", "secret_", 43, plain),
    rule("a Linear token", "lin_oauth_", 40, plain),
    rule("a Hugging Face token", "api_org_", 34, plain),
    rule("a JFrog key", "AKCp", 60, plain),
    rule("an Octopus Deploy key", "API-", 26, upper),
    rule("an OpenShift token", "sha256~", 40, dashed),
    rule("a Mapbox token", "sk.eyJ", 60, dotted),
    rule("a Dropbox token", "sl.", 120, dashed),
    rule("a Duffel token", "duffel_live_", 40, dashed),
    rule("a Flutterwave key", "FLWSECK-", 32, dashed),
    rule("a Frame.io token", "fio-u-", 60, dashed),
    rule("a Shippo token", "shippo_live_", 40, hex),
    rule("a Lob key", "live_", 35, hex),
    rule("a Typeform token", "tfp_", 55, dotted),
    rule("a WakaTime key", "waka_", 36, hex_dashed),
    rule("a Yandex key", "AQVN", 35, dashed),
    rule("an Adafruit key", "aio_", 28, plain),
    rule("a Clojars token", "CLOJARS_", 60, plain),
    rule("a Defined Networking key", "dnkey-", 60, dashed),
    rule("an Intra 42 secret", "s-s4t2ud-", 60, hex),
    rule("an Infracost key", "ico-", 32, plain),
    rule("a Zuplo key", "zpka_", 40, word),
    rule("a PostHog key", "phx_", 40, plain),
    rule("a Render key", "rnd_", 32, plain),
    rule("a Neon key", "napi_", 60, plain),
    rule("a Supabase key", "sb_secret_", 30, dashed),
    rule("a LlamaCloud key", "llx-", 40, plain),
    rule("a Langfuse key", "sk-lf-", 36, hex_dashed),
    rule("a Cerebras key", "csk-", 40, small),
    rule("a DeepSeek key", "sk-", 32, hex),
    rule("an ElevenLabs key", "sk_", 48, hex),
    rule("a Jina key", "jina_", 50, dashed),
    rule("a Firecrawl key", "fc-", 32, hex),
    rule("an E2B key", "e2b_", 40, hex),
    rule("a SonarQube token", "sqa_", 40, hex),
    rule("a CircleCI token", "CCIPAT_", 40, word),
    rule("a CircleCI token", "CCIPRJ_", 40, word),
    rule("a Braintree token", "access_token$production$", 40, dollar),
    rule("a Honeycomb key", "hcaik_", 50, plain),
    rule("a LaunchDarkly key", "sdk-", 36, hex_dashed),
    rule("a LaunchDarkly key", "api-", 36, hex_dashed),
    rule("a Docker Hub token", "dckr_oat_", 27, dashed),
    rule("a Vercel token", "vcp_", 24, plain),
    rule("a Vercel key", "vck_", 24, plain),
    rule("a Fireworks key", "fw_", 22, plain),
    rule("a Together key", "tgp_v1_", 40, dashed),
    rule("an Apify token", "apify_api_", 30, plain),
    rule("a Browserbase key", "bb_live_", 20, dashed),
    rule("a Weights & Biases key", "wandb_v1_", 40, dashed),
    rule("a Vault token", "hvr.", 24, dashed),
    rule("a Sentry token", "sntryi_", 60, hex),
    rule("a PostHog key", "phs_", 40, plain),
    rule("a Twitch token", "oauth:", 30, small),
    rule("a Confluent secret", "cflt", 56, base64),
    rule("an Elastic key", "essu_", 40, base64),
    rule("a MongoDB secret", "mdb_sa_sk_", 40, dashed),
    rule("a Stytch secret", "secret-live-", 30, dashed),
    rule("a Prefect key", "pnu_", 36, plain),
    rule("a PlanetScale token", "pscale_oauth_", 32, dotted),
];
