import type { ClaimPatterns } from './claim-patterns.ts';

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
