/**
 * How often a test runs, said by the name of its file: `*.test.ts` in each `npm test`, `*.all.test.ts` in `npm run test:all`,
 * `*.soak.test.ts` in `npm run test:soak`.
 */
export const tiers = ['rules', 'all', 'soak'] as const;
export type Tier = (typeof tiers)[number];

/** The command of a tier. */
export const commands: Readonly<Record<Tier, string>> = {
  rules: 'npm test',
  all: 'npm run test:all',
  soak: 'npm run test:soak',
};

/** The end of the names of a tier's files. Those of the other two end as the first one's do as well. */
export const endings: Readonly<Record<Tier, string>> = {
  rules: '.test.ts',
  all: '.all.test.ts',
  soak: '.soak.test.ts',
};

export function tierOf(file: string): Tier | undefined {
  return tiers.toReversed().find((tier) => file.endsWith(endings[tier]));
}

/** The part of `npm run test:all` that a file belongs to: its room, or beneath `test/` the folder that its subject has there. */
export function partOf(file: string): string {
  const [room = '', folder = '', subject = ''] = file.split('/');
  if (room !== 'test') return room;
  return folder === 'scenarios' ? subject : folder;
}
