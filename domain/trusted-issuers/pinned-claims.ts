/** Patterns for each claim of a token, of which one must match; `*` stands for any characters, also none. */
type ClaimPatterns = Readonly<Record<string, readonly string[]>>;

/** Whether the whole text is as the pattern says. Takes no longer than pattern times text, whatever they are. */
export function matchesPattern(pattern: string, text: string): boolean {
  let [at, inText] = [0, 0];
  let star = -1;
  let resumeAt = 0;
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resumeAt = inText;
    } else if (at < pattern.length && pattern[at] === text[inText]) {
      at += 1;
      inText += 1;
    } else if (star >= 0) {
      // The last star takes one character more; what it took before it never has to give back.
      resumeAt += 1;
      inText = resumeAt;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** The first claim of the token that is not as the patterns want it, or undefined if all are. */
export function firstMismatch(claims: ClaimPatterns, payload: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(claims).find(([name, patterns]) => {
    const texts = Object.hasOwn(payload, name) ? textsOf(payload[name]) : [];
    return !texts.some((text) => patterns.some((pattern) => matchesPattern(pattern, text)));
  })?.[0];
}

/** The values of a claim as texts: of a list, each of its members. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? [String(one)] : [],
  );
}

/** An issuer whose tokens anybody can get: what makes a rule mean the jobs of somebody in particular. */
interface SharedIssuer {
  host: string;
  name: string;
  /** Claims that say whose job it is, and how a pattern begins that leaves no doubt about it. */
  owners: Readonly<Record<string, RegExp>>;
  example: string;
}

const wholly = /^[^*]+$/;
/** The first part of a path, and all of the slash after it: `octo*` would mean octopus as well. */
const ownerOfPath = /^[^*/]+\//;

const sharedIssuers: readonly SharedIssuer[] = [
  {
    host: 'token.actions.githubusercontent.com',
    name: 'GitHub Actions',
    owners: {
      repository: ownerOfPath,
      repository_id: wholly,
      repository_owner: wholly,
      repository_owner_id: wholly,
      sub: /^repo:[^*/:]+\//,
    },
    example: '"repository": ["your-organization/your-repository"]',
  },
  {
    host: 'gitlab.com',
    name: 'GitLab',
    owners: {
      project_path: ownerOfPath,
      project_id: wholly,
      namespace_path: /^(?:[^*/]+\/.*|[^*]+)$/,
      namespace_id: wholly,
      sub: /^project_path:[^*/:]+\//,
    },
    example: '"project_path": ["your-group/your-project"]',
  },
];

/** Why these claims do not say whose jobs are trusted, or undefined if they do. */
export function unpinned(issuer: string, claims: ClaimPatterns): string | undefined {
  const { hostname } = new URL(issuer);
  const shared = sharedIssuers.find(({ host }) => hostname.replace(/\.$/, '') === host);
  if (shared === undefined) {
    const some = Object.values(claims).some((patterns) => patterns.every((pattern) => !/^\**$/.test(pattern)));
    return some
      ? undefined
      : 'must say something of at least one claim; a pattern of * alone trusts every job there is';
  }
  const pinned = Object.entries(claims).some(([name, patterns]) => {
    const owner = Object.hasOwn(shared.owners, name) ? shared.owners[name] : undefined;
    return owner !== undefined && patterns.every((pattern) => owner.test(pattern));
  });
  if (pinned) return undefined;
  const names = Object.keys(shared.owners).join(', ');
  return `must name the owner of the jobs without a *, since anybody can get a token of ${shared.name}: in one of ${names}, such as ${shared.example}`;
}
