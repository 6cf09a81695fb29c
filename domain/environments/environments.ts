export const environmentKinds = ['persistent', 'preview'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

/** The environments that a new project comes with. */
export const firstEnvironments = [
  { name: 'Production', slug: 'production', production: true },
  { name: 'Staging', slug: 'staging', production: false },
] as const;

interface Ordered {
  name: string;
  production: boolean;
  kind: 'persistent' | 'preview';
}

/** Names that people give to what comes before production, from first to last. */
const usual = [
  /^(?:dev|develop|development|local|sandbox)\b/i,
  /^(?:ci|test|testing|qa|integration)\b/i,
  /^(?:stage|staging|uat|acceptance|pre-?prod(?:uction)?)\b/i,
];
/** Others stand before the last step to production. */
const unusual = 1.5;

/** Environments as a release walks through them: previews, development, test, staging, production; equal ones as they were. */
export function inPromotionOrder<Environment extends Ordered>(environments: readonly Environment[]): Environment[] {
  return environments.toSorted((one, other) => stepOf(one) - stepOf(other));
}

function stepOf({ name, production, kind }: Ordered): number {
  if (production) return usual.length;
  if (kind === 'preview') return -1;
  const step = usual.findIndex((names) => names.test(name));
  return step === -1 ? unusual : step;
}
