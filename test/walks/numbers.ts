/** Numbers below another one, the same in each run of a seed; a linear congruence is even enough for walks. */
export function numbersOf(seed: number): (below: number) => number {
  // Of seeds that follow each other the first numbers would be alike.
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
