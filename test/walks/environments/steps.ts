/** A step, whatever there is when it is taken: numbers are taken by their remainder, and what cannot be done is passed over. */
export interface Step {
  what: What;
  at: readonly [number, number, number, number];
}

/** How often each of them comes. */
const weights = {
  begin: 1,
  stage: 22,
  unstage: 5,
  discard: 1,
  apply: 12,
  decide: 6,
  claim: 13,
  finish: 13,
  through: 8,
  cancel: 3,
  rollBack: 8,
  redeploy: 2,
  suspend: 5,
  resume: 6,
  delete: 5,
  restore: 8,
  purge: 2,
} as const;
export type What = keyof typeof weights;

const bag = Object.entries(weights).flatMap(([what, weight]) => Array.from({ length: weight }, () => what as What));

/** The steps of a seed, always the same. Each is its own: any of them can be left out. */
export function stepsOf(seed: number, count: number): Step[] {
  let state = seed * 48_271 + 11;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  // Mostly something runs already: there is something to replace, to suspend and to return to.
  const first: What[] = seed % 4 === 0 ? [] : ['begin', 'begin', 'through', 'through'];
  return Array.from({ length: count }, (_, at) => ({
    what: first[at] ?? bag[next(bag.length)] ?? 'stage',
    at: [next(1_000), next(1_000), next(1_000), next(1_000)],
  }));
}

/** `stage 3 1 4 1; apply 5 9 2 6`: to be walked again by `stepsIn`. */
export function textOf(steps: readonly Step[]): string {
  return steps.map(({ what, at }) => `${what} ${at.join(' ')}`).join('; ');
}

export function stepsIn(text: string): Step[] {
  return text.split(';').map((one) => {
    const [what, ...at] = one.trim().split(' ');
    const [a = 0, b = 0, c = 0, d = 0] = at.map(Number);
    return { what: what as What, at: [a, b, c, d] };
  });
}

/** The same failure in fewer steps: leaves out halves, quarters and so on, as long as it still fails. */
export async function shrunk(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
): Promise<Step[]> {
  let left = [...steps];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from >= 0; from -= size) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)];
      if (fewer.length > 0 && (await fails(fewer))) left = fewer;
    }
  }
  return left;
}
