//! Lexicon of what sentences are about, for the reader of orders: words of seven languages (English,
//! German, French, Spanish, Italian, Portuguese, Dutch) by concept.

use super::injection_orders::Word;

/// A set of concepts.
pub(super) type Concepts = u128;

macro_rules! concepts {
    ($($(#[$doc:meta])* $name:ident = $words:expr;)*) => {
        #[expect(clippy::upper_case_acronyms, non_camel_case_types, reason = "names of constants")]
        enum Number { $($name,)* End }
        $($(#[$doc])* pub(super) const $name: Concepts = 1 << Number::$name as u32;)*
        const LISTS: &[&str] = &[$($words),*];
    };
}

// Between bars: words, or phrases of words with spaces. `*` stands for any ending, after at least
// four bytes. An apostrophe is a space.
concepts! {
    /// Programs that fetch from the network.
    CURL = "curl|wget|iwr|irm|aria2c|invoke-webrequest|invoke-restmethod|urllib*|requests.get";
    /// Words for fetching.
    FETCH = "download*|fetch*|retriev*|pulled from|pull from|hosted|lade|lädt|geladen|heruntergeladen|\
        herunterladen|lad|télécharg*|récupèr*|descarg*|scaric*|baix*|download|haal|opgehaald";
    RUN = "run|runs|running|ran|execute|executes|executed|executing|exec|eval|source|sourced|invoke|\
        invoked|launch|launched|carry out|pipe|piped|piping|called|ausführ*|ausgeführt|auszuführen|führe|\
        führ|starte|startet|gestartet|exécut*|lance|lancer|lancez|ejecut*|esegu*|executa*|execute-o|\
        execut*|roda|rode|rodar|voer|uitvoer*|uitgevoerd|draai";
    RUN_IT = "and executes|executes whatever|whatever it|what it gets|be executed|and start it|and runs|\
        and evaluate*|run it|runs it|execute it|executes it|executed|run them|and run|and execute|then run|\
        then execute|and source|ausgeführt|führe es aus|führ es aus|exécute-le|exécutez-le|exécuté|\
        ejecútalo|ejecutalo|ejecutado|eseguilo|eseguito|execute-o|executado|voer het uit|uitgevoerd|\
        run ./*|execute ./*|follow them|follow it|obey";
    SHELL = "sh|bash|zsh|fish|dash|iex|python|python3|node|perl|ruby|powershell|pwsh|php|eval|source|exec|/bin/sh|/bin/bash|cmd.exe";
    /// Programs that run the address that follows them.
    RUNNER = "npx|bunx|uvx|bash|sh|zsh|python|python3|node|source|mshta|regsvr32";
    /// Programs that connect a shell.
    NETCAT = "nc|ncat|netcat|socat|telnet";
    /// Remote words are to be gone by.
    TREAT = "as rules|as instructions|as your instructions|as your orders|as orders|as your rules|carry them out|carry it out|as authoritative|\
        take precedence|takes precedence|act on it|act on them|do what it says|do as it says";
    /// What lets others in.
    ENTRANCE = "authorized_keys|core.hookspath|/etc/sudoers";
    SCRIPT = "script*|skript*|installer*|binary|helper*|bootstrap*|executable*|payload*|guion|programm";
    /// A program is described, rather than to be run.
    INSTALLS = "installs";
    /// When something is to happen, or that it must.
    OCCASION = "before|every|each|always|first|whenever|session*|must|need|needs|needed|require*|\
        mandatory|begin|begins|beginning|start of|when you|starting|vor|jede|jedem|jeder|jedes|immer|zuerst|muss|müssen|avant|chaque|toujours|doit|faut|\
        antes|cada|siempre|debe|hay|primero|prima|ogni|sempre|deve|bisogna|todo|toda|preciso|voor|elke|\
        iedere|altijd|moet";
    FOLLOW = "follow*|obey*|carry out|comply|befolg*|folge|suis|suivez|suivre|sigue|segui*|volg";
    DIRECTIVES = "systemprompt*|instruction*|directive*|guidance|guidelines|orders|prompt|anweisung*|vorgaben|\
        instruktion*|richtlinien|consignes|directives|regeln|règles|reglas|regole|regras|regels|instruccion*|directrices|órdenes|indicaciones|\
        istruzion*|direttive|instruç*|ordens|diretrizes|instructies|opdrachten|steps";
    /// Weaker: rules of anything.
    RULES = "rules|rule|restriction*|policies|policy|memories";
    PRIOR = "previous*|prior|earlier|preceding|above|before|original|other|initial|früher*|vorherig*|\
        bisherig*|vorig*|obig*|ursprünglich*|précédent*|antérieur*|initiales|anterior*|previas|previos|\
        precedent*|prévias|vorige|eerdere|voorgaande|bovenstaande";
    /// Whose word an agent goes by.
    AUTHORITY = "systemprompt*|system|safety|security guidance|user|user s|developer s|developer|claude.md|agents.md|\
        gemini.md|.cursorrules|system prompt|nutzer*|benutzer*|systems|système|utilisateur|sistema|\
        usuario|utente|usuário|systeem|gebruiker";
    VOID = "no longer in force|not in force|out of force|no longer valid|not valid|withdrawn|waived|\
        relaxed|loosened|overruled|not be followed|does not count|do not matter|don t matter|doesn t matter|\
        less important|more important than|priority over|ranks above|outrank*|trumps|over what the user|\
        no longer relevant|außer kraft|nicht mehr gültig|plus en vigueur|plus valables|\
        fuera de vigor|non più valid*|não são mais|niet meer geldig|exempt from|void|can be skipped|may be skipped|be skipped|can be ignored|may be ignored|as suggestions|\
        as optional|rank below|ranks below|written for another|no longer bind*|do not bind|don t count|\
        do not count|no force|superseded|obsolete|revoked|lifted|suspended|cancel*|invalid|\
        hinfällig|aufgehoben|ungültig|überholt|annulé*|caduques|obsolètes|inválid*|anulad*|annullat*|\
        revogad*|vervallen|ongeldig|wrong|no longer apply|no longer hold|no longer count|\
        no longer binding|do not apply|don t apply|not apply|not binding|gelten nicht|gelten hier nicht|\
        gelten nicht mehr|s appliquent plus|ne valent plus|ya no son|ya no valen|ya no aplican|\
        ya no se aplican|non valgono|non si applicano|não valem|não se aplicam|gelden niet|\
        be ignored|be disregarded|be overridden";
    IGNORE = "ignore|disregard|override|overrule|disobey|ignorier*|missacht*|vergiss|ignorez|oubliez|\
        oublie|ignora|olvida|dimentica|esqueça|desconsidere|negeer|not obey|not follow|don t obey|\
        don t follow|never obey|never follow|stop following|stop obeying";
    ONLY_THIS = "only this|follow only this|only follow this|this one counts";
    SEND = "send|sends|sent|sending|upload*|post|posts|posted|posting|forward*|mail|mailed|mails|email*|\
        e-mail*|transmit*|exfiltrat*|push|pushed|sync|syncs|synced|copy|copied|scp|rsync|ftp|nc|netcat|\
        submit*|share|shared|ship|shipped|leak*|report|reported|deliver*|beacon|mirror*|backup|backed up|back up|log|logged|logs|goes to|go to|gemailt|mailt|gespiegelt|schick*|sende|senden|\
        gesendet|geschickt|übermittel*|überträgt|hochlad*|lade hoch|envoi*|envoy*|transm*|téléverse*|\
        envía*|envia*|enviar|envíe|manda*|sube|subir|invia*|inviare|spedi*|carica|envie|mande|stuur*|\
        verstuur*|verzend*|gestuurd|upload";
    ATTACH = "append*|quoted|quoting|show|shown|echo|echoed|repeat|repeated|stated|listed|ends with|end with|starts with|contain|contains|carries|belong*|goes into|go into|attach*|include|includes|included|including|add|adds|added|adding|insert*|embed*|\
        paste|pasted|pastes|put|quote|print*|anhäng*|anzuhängen|angehängt|hänge|füge|beifüg*|ajoute*|\
        joins|joindre|adjunt*|añad*|agreg*|incluye*|allega*|aggiung*|anex*|adicion*|inclu*|voeg|toevoeg*|\
        bijvoeg*|toegevoegd";
    /// Things that authenticate.
    SECRET = "printenv|env dump|environment dump|output of env|output of printenv|dump of env|\
        contents of env|whole environment|credential*|password*|secrets|api key*|api token*|access key*|access token*|auth token*|\
        ssh key*|ssh private|private key*|session token*|session cookie*|github token*|bearer token*|\
        signing key*|deploy key*|zugangsdaten|passwort*|passwörter|api-schlüssel|api-key*|identifiants|\
        mots de passe|mot de passe|clé api|clés api|credencial*|contraseña*|clave api|claves|credenzial*|\
        chiave api|senha*|chave de api|wachtwoord*|inloggegevens|sleutels";
    /// Files that hold secrets, besides those told by their names.
    SECRET_FILE = "keychain|keyring|.netrc|.pgpass|.git-credentials|kubeconfig";
    /// All that the environment holds.
    ENVIRONMENT = "environment variable*|env var*|env variable*|\
        umgebungsvariable*|variables d environnement|variables de entorno|variabili d ambiente|\
        variáveis de ambiente|omgevingsvariabele*";
    /// What was said or worked on here.
    TALK = "conversation*|transcript*|chat history|chat log*|session summar*|session history|\
        session log*|user s files|user s code|user s messages|user s prompts|user s home|user files|\
        source tree|source code|prompt history|shell history|bash history|your prompts|all prompts|\
        gespräch*|gesprächsverlauf|unterhaltung*|quellcode|code source|código fuente|conversación|\
        conversaciones|fichiers de l utilisateur|archivos del usuario|file dell utente|conversazion*|\
        código-fonte|arquivos do usuário|broncode|gesprek*|bestanden van de gebruiker|user prompts|what the user types|user types|keystrokes|clipboard|directory listing|file listing|\
        the codebase|your context|context window|memory files|zip of the|repository as a|repo as a|workspace as a|archive of the|tarball of the|every branch|\
        all branches";
    /// What an agent writes for others to read.
    OUTPUT = "bug report*|commit message*|pull request*|pr description*|issue|issues|answer|answers|reply|\
        replies|response|responses|handoff*|crash report*|bug ticket*|gist|pastebin|handoff note*|\
        fehlerbericht*|antwort*|commit-nachricht*|commit-nachrichten|rapport*|réponse*|respuesta*|informe*|\
        rispost*|segnalazion*|resposta*|relatório*|antwoord*|bugrapport*|foutmelding*";
    EACH = "everything|anything|whatever|alles|tout|tutto|tudo|every|each|all|any|jede|jeden|jedem|jeder|alle|allen|chaque|tous|toutes|cada|todos|todas|ogni|\
        tutti|tutte|todo|elk|elke|iedere";
    REQUEST = "request|requests|call|calls|url|urls|anfrage|anfragen|requête*|petición|peticiones|\
        richiest*|requisiç*|verzoek*";
    QUERY = "query|query string|query parameter*|as parameter|in the url";
    /// How programs authenticate, rather than what an agent is to do.
    API = "header|headers|interceptor*|middleware|axios|bearer|cookie|cookies|client|clients|\
        authorization|frontend|backend|server|servers|sdk|browser|browsers|endpoint|endpoints|handler*|\
        webhook*|provider*|example|validat*|schema|form|oauth*|redirect*|callback|proxy|vault|1password|\
        component*|service|return|returns|json|payload|body|http|x-api-key|login";
    PERSON = "user|maintainer|maintainers|reviewer|reviewers|owner|developer|human|humans|anyone|anybody|\
        nobody|operator|supervisor|nutzer|nutzern|nutzerin|benutzer|benutzerin|anwender|prüfer|niemand|\
        niemandem|menschen|utilisateur|utilisatrice|relecteur|relecteurs|personne|usuario|usuaria|nadie|\
        humano|utente|nessuno|usuário|ninguém|gebruiker|niemand|team|admin|administrator|lead";
    NOT = "not|never|no|don t|doesn t|needn t|mustn t|shouldn t|can t|won t|cannot|nothing|nicht|nichts|\
        nie|niemals|kein|keine|keinem|pas|jamais|rien|nunca|nada|non|mai|niente|nulla|não|niet|nooit|niets|\
        avoid|refuse|without|ohne|sans|sin|senza|sem|zonder";
    /// Words that turn a denial round.
    UNLESS = "unless|until|without|before|bevor|ohne|forget|fail|hesitate|vergiss|oublie|oubliez|olvides|\
        sans|sin|senza|sem|zonder|dimenticare|esqueça|vergeet";
    TELL = "hear|told|aware|find out|erfähr*|enter*|saber|savoir|sapere|weten|tell|telling|mention*|report|reporting|inform|informing|reveal*|disclose*|know|learn|notice|\
        notify|notifying|see|say|confess|admit|erwähn*|sag|sage|sagen|erzähl*|erfahr*|mitteil*|mitzuteilen|\
        informier*|wissen|verrat*|parle|parlez|parler|dis|dites|dire|mentionn*|révèl*|informe*|digas|diga|\
        decir|mencion*|cuentes|cuente|revele*|informar*|informes|parlare|menzion*|rivel*|conte|contes|fale|\
        diga|vertel*|meld|melden|zeg|laat weten|noem";
    /// What an agent did.
    DOING = "supprimé*|eliminad*|gelöscht*|borrad*|cancellat*|apagad*|verwijderd*|disabled|bypassed|skipped|installed|tests échou*|tests fallan|test falliscono|testes falham|\
        tests falen|tests fehlschlag*|failing security|failing check*|security check*|change|changes|changed|edit|edits|edited|modif*|commit|commits|committed|dependency|\
        dependencies|rotated|deleted|deletion|vendor|backdoor*|failing test*|failing tests|test failure*|\
        tests fail*|failed test*|skipped test*|network call*|upload*|änderung*|geändert|abhängigkeit*|\
        changement*|modifié*|dépendance*|cambio*|cambiado|modificado|dependencia*|modific*|cambiament*|\
        dipendenz*|mudança*|alteraç*|dependência*|wijziging*|gewijzigd|afhankelijkhe*|leak|exfiltration";
    /// Not knowing, and doing so that none knows.
    UNTOLD = "unaware|in the dark|uninformed|oblivious|unbeknownst|behind the user|secretly|covertly|\
        between us|to yourself|heimlich|ahnungslos|im dunkeln|à l insu|en cachette|a espaldas|\
        a escondidas|all insaputa|di nascosto|às escondidas|stiekem|onwetend|unter uns";
    /// What keeps a thing from being told.
    CONCEAL = "hide|conceal|withhold|keep secret|secret from|hidden from|quiet about|keep quiet|omit|\
        leave out|out of what you|verheimlich*|verschweig*|verberg*|cache|cachez|cacher|dissimul*|oculta*|\
        ocultes|esconde*|nascond*|tieni nascost*|esconda|oculte|verzwijg*|verberg|geheim";
    /// Words for a product, whose users are not the agent's.
    PRODUCT = "twice|duplicate*|screen|page|form|dialog|modal|toast|button|ui|ux|password|email|login|error|errors|field|\
        stack|api|endpoint|component|view|render*|display*|app|banner|tooltip|price|order|orders";
    APPROVED = "approved|pre-approved|preapproved|authorized|authorised|consented|granted|greenlit|\
        signed off|gave permission|blanket|gave consent|gave blanket|genehmigt|erlaubt|freigegeben|\
        zugestimmt|approuv*|autorisé*|validé*|aprobó|aprobad*|autorizó|autorizad*|approvat*|autorizzat*|\
        aprovou|aprovad*|autorizou|goedgekeurd|toegestaan|okayed";
    /// Given before anyone asked.
    PRESUMED = "pre-approved|preapproved|as approved|as authorized|deemed approved|considered approved|on file|on record|already given|already granted|implied|implicit|in advance|beforehand|presumed|\
        as given|for granted|consent was given|permission was given|approval was given|im voraus|vorab|\
        d avance|par avance|de antemano|por adelantado|in anticipo|antecipadamente|vooraf|bij voorbaat";
    CONDITION = "until|unless|once|after|wait|whether|if|only|bis|sobald|wenn|falls|après|tant que|\
        hasta|después|finché|dopo|até|depois|totdat|pas als|nachdem";
    /// An approval that is still to come.
    MUST = "must|need|needs|should|require*|has to|have to|be approved|be authorized|get approved|shall|\
        will be|ask|muss|müssen|doit|doivent|debe|deben|deve|devono|devem|moet|moeten";
    WAIVED = "already been given|been given|been granted|already gave|already gave|waived|waives|not required|\
        isn t required|not needed|unnecessary|superfluous|not necessary|never required|never needed|\
        nicht nötig|nicht erforderlich|nicht notwendig|überflüssig|entfällt|entfallen|inutile*|\
        pas nécessaire*|pas requis*|no es necesari*|no son necesari*|no hace falta|non serve|non servono|\
        non è necessari*|não é necessári*|não são necessári*|niet nodig|overbodig";
    AUTO = "auto-approve*|auto-accept*|autoapprove*|always allow|always approve|always accept|\
        blindly approve|blindly accept|automatically approve*|automatically accept*";
    SAYS = "stands|gesagt|dit|dicho|detto|disse|gezegd|says|said|what the user|requests|wishes|tells|asks|wants|demands|objections|warnings";
    /// Addresses that are asked how they are.
    QUIET = "health*|status|ping|metrics|jq|version|docs|documentation|reference|--head|-i|post|token|\
        curl.haxx.se|http_code|smoke*";
    POST_NOT = "nicht|nichts|rien|pas|niets|niet|nada|nulla|niente";
    ACTION = "agent does|assistant does|claude does|codex does|you do|you run|agent runs|edits|tool|tools|tool call*|tool use*|command|commands|shell command*|bash command*|actions|\
        operations|permission prompt*|tool-call*|befehl*|tool-aufruf*|werkzeug*|aktionen|commande*|outil*|\
        actions|appels d outil*|comand*|herramienta*|llamadas|acciones|strument*|azioni|ferramenta*|\
        chamadas|ações|opdracht*|commando*|toolaanroep*|gereedschap*|acties";
    CONSENT = "approval|approvals|permission|consent|confirmation|confirmations|genehmigung*|erlaubnis|\
        zustimmung|bestätigung*|rückfrage*|permissions|approbation*|autorisation*|consentement|\
        confirmation*|aprobación|permiso*|confirmacion*|confirmación|consentimiento|approvazion*|permess*|\
        conferm*|consenso|aprovaç*|permiss*|confirmaç*|toestemming*|bevestiging*|goedkeuring*";
    /// A question to the person at the screen.
    PROMPT = "permission prompt*|confirmation prompt*|approval prompt*|permission request*|\
        permission dialog*|confirmation dialog*|permission question*|approval request*|approval dialog*|\
        asked for permission|asked for approval|asked for confirmation|asked to confirm|asks for permission|\
        prompts for permission|prompted for permission|every confirmation|all confirmations|todas las confirmaciones|\
        todas as confirmações|tutte le conferme|toutes les confirmations|alle bevestigingen|each confirmation|\
        every approval|any confirmation|alle rückfragen|jede rückfrage|berechtigungsanfrage*|\
        alle bestätigungen|demandes de permission|demande de permission|demandes d autorisation|\
        demande d autorisation|demandes de confirmation|solicitud* de permiso|solicitudes de permiso|\
        peticiones de permiso|richieste di permesso|richiesta di permesso|richieste di conferma|\
        pedidos de permissão|pedido de permissão|solicitações de permissão|toestemmingsvra*|\
        vraag om toestemming|sandbox prompt*";
    YES = "yes|y|ja|oui|sí|sì|sim|automatically|auto-approve*|auto-accept*|accept|accepted|accepts|accept all|\
        approve|approves|always allow|allow always|allow|without reading|\
        akzeptier*|automatisch|bestätige|acceptez|accepte|automatiquement|acepta*|automáticamente|\
        accetta*|automaticamente|aceite|aceita*|accepteer|click|confirm";
    /// Where prompts and sandboxes are not the agent's.
    DEVICE = "e2e|driver|simulator|emulator|android|ios|iphone|browser|chromium|chrome|puppeteer|\
        playwright|electron|iframe|webview|unit|windows|macos|app|apps|--no-sandbox";
    /// What only a person should allow.
    GRAVE = "tool calls|destructive|irreversible|force-push*|force push*|deleting|delete|dangerous|rm|dropping|\
        production|any command|every command|all commands|zerstörerisch*|destructi*|destructiv*|distruttiv*";
    UNASKED = "never need confirmation|never need approval|needs no confirmation|needs no approval|\
        need no confirmation|need no approval|no need to ask|without asking|don t ask|do not ask|never ask|no confirmation|no approval|\
        not ask|needn t ask|without confirmation|without approval|skip confirmation*|keine rückfrage*|\
        ohne rückfrage*|ohne zu fragen|nicht nachfragen|sans demander|sans confirmation|sin preguntar|\
        sin confirmación|sin pedir|senza chiedere|senza conferma|sem perguntar|sem confirmação|\
        zonder te vragen|zonder bevestiging";
    /// Options that turn the questions of an agent off.
    FLAG = "--ask-for-approval never|approval_policy never|--dangerously-skip-permissions|--yolo|danger-full-access|bypasspermissions|\
        --dangerously-bypass-approvals-and-sandbox|--trust-all-tools|--allow-all-tools|\
        dangerously-skip-permissions|dangerouslydisablesandbox|yolo mode|-yolo";
    USE = "use|uses|pass|run|start|set|add|always|with|enable|launch|switch|starte|nutze|verwende|utilise*|\
        usa|usar|gebruik|is on|agreed|fine";
    OFF = "stays off|stay off|keep it off|kept off|without the sandbox|without sandbox|ohne sandbox|disable*|disabling|turn off|turning off|turned off|turns off|switch off|switched off|bypass|\
        bypassing|circumvent*|deactivat*|off by|is off|weaken*|abschalt*|abgeschaltet|schalte|\
        deaktivier*|umgeh*|désactiv*|contourne*|desactiv*|disattiv*|disabilit*|desativ*|desabilit*|\
        uitschakel*|schakel|uitgeschakeld|omzeil*";
    SAFEGUARD = "sandbox|sandboxing|sandbox mode|secret scanning|permission checks|permission system|\
        permission prompts|safety checks|safety filter*|guardrails|stricthostkeychecking|\
        approval mode|bac à sable|zandbak|sicherheitsprüfung*";
    DESTROY = "purge|purges|purged|format|truncate|vide|vider|leere|leeren|rm|rmdir|delete|deletes|deleting|deleted|wipe|wiping|wiped|erase*|shred|recursively delete|\
        lösch*|gelöscht|supprim*|effac*|elimina*|borra*|borre|cancella*|apaga*|apague|verwijder*|-delete|rd";
    OPEN = "chmod|icacls|setfacl|chown";
    OPENLY = "777|0777|a+rwx|o+rwx|o+w|ugo+rwx|a+w|everyone|world-writable|-r777|666";
    HOME = "~|$home|$home/|%userprofile%|home directory|home folder|home dir|user s home|~/|\
        heimatverzeichnis*|home-verzeichnis*|répertoire personnel|dossier personnel|directorio personal|\
        carpeta personal|directory home|cartella home|diretório home|pasta pessoal|thuismap|homemap|~/*";
    ROOT = "--no-preserve-root|c:\\|root directory|root filesystem|/dev/sda|whole disk|entire disk";
    /// The sentence tells of an order, rather than giving it.
    ABOUT = "accidental*|risk|redact*|mask|masked|masks|scrub*|strip|anonymi*|block|blocks|blocked|blocking|deny|denies|denied|reject*|refus*|detect*|forbid*|forbidden|\
        prohibit*|disallow*|attack*|injection*|malicious|attacker*|dangerous command*|catches|flags|warn|\
        warns|warning|prevent*|vulnerab*|exploit*|e.g|threat*|hallucinat*|sanitiz*";
}

/// Concepts that are told by the shape of a word instead.
const SHAPES: u32 = Number::End as u32;
/// An address outside of this machine and its network.
pub(super) const FOREIGN: Concepts = 1 << SHAPES;
/// Such an address of a program or script.
pub(super) const REMOTE_SCRIPT: Concepts = 1 << (SHAPES + 1);
/// What is fetched goes to a shell.
pub(super) const PIPED: Concepts = 1 << (SHAPES + 2);
/// The sentence forbids what it names.
pub(super) const FORBIDDEN: Concepts = 1 << (SHAPES + 3);
/// Such an address that something may go to, rather than come from.
pub(super) const TO: Concepts = 1 << (SHAPES + 5);
/// It dismisses what a person says.
pub(super) const DISMISSES: Concepts = 1 << (SHAPES + 6);
/// The sentence tells not to tell.
pub(super) const SILENT: Concepts = 1 << (SHAPES + 4);

/// An entry of the table: the place of its text in a list, which is also its concept.
#[derive(Clone, Copy)]
struct Slot {
    /// The first four bytes of its first word.
    key: u32,
    list: u8,
    length: u8,
    start: u16,
}

const SLOTS: usize = 4096;
const EMPTY: Slot = Slot { key: 0, list: 0, length: 0, start: 0 };

/// All entries by the first bytes of their first word, with linear probing.
static TABLE: [Slot; SLOTS] = table();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::large_stack_arrays,
    reason = "evaluated at compile time"
)]
const fn table() -> [Slot; SLOTS] {
    let (mut table, mut list) = ([EMPTY; SLOTS], 0);
    while list < LISTS.len() {
        let words = LISTS[list].as_bytes();
        let (mut start, mut end) = (0, 0);
        while end <= words.len() {
            if end == words.len() || words[end] == b'|' {
                let key = key(words, start, end);
                let mut slot = place(key);
                while table[slot].length != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                let (length, first) = ((end - start) as u8, start as u16);
                table[slot] = Slot { key, list: list as u8, length, start: first };
                start = end + 1;
            }
            end += 1;
        }
        list += 1;
    }
    table
}

/// Returns the first four bytes of a word that ends at `end`, a space or `*`.
#[expect(clippy::indexing_slicing, reason = "the callers' bounds")]
const fn key(words: &[u8], start: usize, end: usize) -> u32 {
    let (mut key, mut at) = (0, start);
    while at < end && at < start + 4 && words[at] != b' ' && words[at] != b'*' {
        key = key << 8 | words[at] as u32;
        at += 1;
    }
    key
}

const fn place(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// Returns the concepts of the word at an index, alone or with those that follow it.
pub(super) fn concepts(words: &[Word<'_>], at: usize) -> Concepts {
    let Some(word) = words.get(at) else { return 0 };
    let key = key(word.text.as_bytes(), 0, word.text.len());
    let mut slot = place(key);
    let mut found = 0;
    while let Some(entry) = TABLE.get(slot).filter(|entry| entry.length != 0) {
        slot = (slot + 1) % SLOTS;
        if entry.key != key {
            continue;
        }
        let start = usize::from(entry.start);
        let text = LISTS
            .get(usize::from(entry.list))
            .and_then(|list| list.get(start..start + usize::from(entry.length)));
        let mut next = words.get(at..).unwrap_or_default().iter();
        let fits = |step: &str| {
            next.next().is_some_and(|word| match step.strip_suffix('*') {
                Some(stem) => word.text.starts_with(stem),
                None => word.text == step,
            })
        };
        if text.is_some_and(|text| text.split(' ').all(fits)) {
            found |= 1 << entry.list;
        }
    }
    found
}
