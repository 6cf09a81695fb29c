/** Whether builds see a variable: `no`, it is of run time alone; `also`; `only`, and no release has it. */
export const buildTimes = ['no', 'also', 'only'] as const;
export type BuildTime = (typeof buildTimes)[number];

/** The names that frameworks write into what every browser is sent, so that their values are public by intent. */
const publicPrefixes = [
  'NEXT_PUBLIC_',
  'VITE_',
  'NUXT_PUBLIC_',
  'REACT_APP_',
  'VUE_APP_',
  'PUBLIC_',
  'GATSBY_',
  'EXPO_PUBLIC_',
  'STORYBOOK_',
];

/** Proposed for the form and the import; nobody's variable becomes so by its name alone. */
export function isPublicByName(key: string): boolean {
  return publicPrefixes.some((prefix) => key.startsWith(prefix) && key.length > prefix.length);
}

export const buildTimeTitles: Readonly<Record<BuildTime, string>> = {
  no: 'Run time',
  also: 'Run time and builds',
  only: 'Builds alone',
};

export interface SeenChange {
  buildTime?: BuildTime | '' | undefined;
  fromBuildTime?: BuildTime | '' | undefined;
}

/** In words, where a change says it anew: `builds see it, too`. What is no variable says nothing. */
export function seenChange({ buildTime: now = '', fromBuildTime: before = '' }: SeenChange): string | undefined {
  if (now === '' || now === (before === '' ? 'no' : before)) return undefined;
  return { no: 'builds do not see it any more', also: 'builds see it, too', only: 'builds alone see it' }[now];
}
