/** A line as package managers print them, with its number and when it was written. */
export function lineOf(number: number, at: number): string {
  return `#${number} ${at.toFixed(1)} http fetch GET 200 https://registry.example.com/package-${number % 977} ${number % 83}ms (cache hit)`;
}

/** The number and the time of such a line within an event. */
export function readLine(text: string): { number: number; at: number } | undefined {
  const [, number, at] = /#(\d+) ([\d.]+) /.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), at: Number(at) };
}
