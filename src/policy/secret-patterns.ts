/** What keys, tokens and passwords look like. A group `kept` is what stays of it. */
export interface SecretPattern {
  readonly rule: string;
  readonly pattern: RegExp;
}

/** The prefixes by which issuers mark their keys, each with the least that follows. */
const PREFIXED = [
  String.raw`(?:[sprg]k|csk|xox[a-z]|gh[pousr]|whsec)[-_][\w-]{8,}`,
  String.raw`(?:github_pat|hf|npm|r8|fw|tgp_v1)_\w{16,}`,
  String.raw`(?:glpat|xai|pplx|nvapi|gsk)[-_][\w-]{16,}`,
  String.raw`AIza[\w-]{20,}`,
  String.raw`ya29\.[\w-]{16,}`,
];

const MASKED = String.raw`\*\*\*|\[REDACTED:`;
const SCHEME = String.raw`(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?`;
/** In quotes, in quotes of JSON inside a text, in quotes that never close, or up to what ends a word. */
const VALUE = [
  String.raw`"(?:\\.|[^"\\\r\n]){1,1000}(?=")`,
  String.raw`'(?:\\.|[^'\\\r\n]){1,1000}(?=')`,
  String.raw`\\"[^"\r\n]{1,1000}?(?=\\")`,
  String.raw`\\?["'][^"'\r\n]{1,1000}$`,
  String.raw`\\?["']?${SCHEME}[^\s"',;&)}\]<>\\]+`,
].join('|');
const NAME = [
  String.raw`[\w.-]{0,40}?(?:authorization|api[-_ ]?key|token|passw(?:or)?d|passphrase|pwd|secret|signature)`,
  String.raw`[\w.-]{0,40}?(?:access|private|secret|auth)[-_]?key`,
  String.raw`(?:incorrect|invalid|bad|wrong|unknown|expired)\s(?:\w{1,20}\s)?key`,
].join('|');

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  // A key that is cut off is a key.
  { rule: 'pem', pattern: /-----BEGIN [A-Z ]{1,40}-----[\s\S]*?(?:-----END [A-Z ]{1,40}-----|$)/g },
  { rule: 'user-info', pattern: /(?<kept>\b[a-z][a-z+.-]{1,20}:\/\/)(?!\*\*\*@|\[REDACTED:)[^\s/"']+(?=@)/gi },
  { rule: 'jwt', pattern: /\beyJ[\w-]{8,2000}\.[\w-]{8,8000}(?:\.[\w-]*)?/g },
  { rule: 'key', pattern: new RegExp(String.raw`\b(?:${PREFIXED.join('|')})`, 'g') },
  { rule: 'aws', pattern: /\bA[KS]IA[A-Z0-9]{16}\b/g },
  { rule: 'bearer', pattern: /(?<kept>\bbearer\s+)(?:[\w.~+/=-]{8,}|(?=[a-z]*[\d.~+/=-])[\w.~+/=-]+)/gi },
  { rule: 'basic', pattern: /(?<kept>\b(?:[Bb]asic|BASIC)\s+)(?=[a-z]*[A-Z\d+/=])[\w+/=-]{8,}/g },
  { rule: 'cookie', pattern: /(?<kept>\bcookie:\s*)[^\s=;]{1,100}=[^\s;]+(?:;\s*[^\s=;]{1,100}(?:=[^\s;]*)?)*/gi },
  {
    rule: 'named',
    pattern: new RegExp(
      String.raw`(?<kept>(?<![\w.-])(?:${NAME})(?:\s(?:provided|given|used|was|is))?\\?["']?\s{0,9}[:=]\s{0,9})` +
        String.raw`(?!\\?["']?(?:${MASKED}))(?:${VALUE})`,
      'gi',
    ),
  },
];
