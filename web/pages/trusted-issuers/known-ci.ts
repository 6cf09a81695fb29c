/** Defaults for a CI platform, so that a new rule is nearly complete. */
export interface KnownCi {
  id: 'github' | 'gitlab' | 'other';
  name: string;
  /** Empty for a platform without one public address. */
  issuer: string;
  /** Claims that a rule should pin. An empty pattern is filled in by the person. */
  claims: readonly { claim: string; pattern: string }[];
  /** Example for an empty pattern. */
  example: string;
  /** Claims that its tokens have. */
  known: readonly string[];
}

const github: KnownCi = {
  id: 'github',
  name: 'GitHub Actions',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: [
    { claim: 'repository', pattern: '' },
    { claim: 'ref', pattern: 'refs/heads/main' },
  ],
  example: 'your-organization/your-repository',
  known: [
    'repository',
    'repository_id',
    'repository_owner',
    'repository_owner_id',
    'ref',
    'ref_type',
    'environment',
    'event_name',
    'workflow',
    'job_workflow_ref',
    'actor',
    'sub',
  ],
};

const gitlab: KnownCi = {
  id: 'gitlab',
  name: 'GitLab',
  issuer: 'https://gitlab.com',
  claims: [
    { claim: 'project_path', pattern: '' },
    { claim: 'ref', pattern: 'main' },
    { claim: 'ref_type', pattern: 'branch' },
    { claim: 'ref_protected', pattern: 'true' },
  ],
  example: 'your-group/your-project',
  known: [
    'project_path',
    'project_id',
    'namespace_path',
    'namespace_id',
    'ref',
    'ref_type',
    'ref_protected',
    'environment',
    'environment_protected',
    'pipeline_source',
    'user_login',
    'sub',
  ],
};

const other: KnownCi = {
  id: 'other',
  name: 'Another CI',
  issuer: '',
  claims: [{ claim: 'sub', pattern: '' }],
  example: 'what the token of the job says',
  known: ['sub'],
};

export const knownCis: readonly KnownCi[] = [github, gitlab, other];

export function ciOf(issuer: string): KnownCi {
  return knownCis.find((ci) => ci.issuer !== '' && ci.issuer === issuer.replace(/\/$/, '')) ?? other;
}

/** Whose jobs they are, in words: "GitHub Actions", "gitlab.example.com". */
export function issuerName(issuer: string): string {
  const ci = ciOf(issuer);
  return ci.id === 'other' ? issuer.replace(/^https?:\/\//, '') : ci.name;
}

/** Claims of a rule, the identifying ones of its platform first. */
export function orderedClaims(
  issuer: string,
  claims: Readonly<Record<string, readonly string[]>>,
): [string, readonly string[]][] {
  const { known } = ciOf(issuer);
  const place = (claim: string) => (known.includes(claim) ? known.indexOf(claim) : known.length);
  return Object.entries(claims).sort(([one], [two]) => place(one) - place(two));
}
