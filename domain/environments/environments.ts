export const environmentKinds = ['persistent', 'preview'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

/** The environments that a new project comes with. */
export const firstEnvironments = [
  { name: 'Production', slug: 'production', production: true },
  { name: 'Staging', slug: 'staging', production: false },
] as const;
