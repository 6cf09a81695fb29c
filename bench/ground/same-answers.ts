import type { Server, Target } from './servers.ts';

/** Who answers something else does something else: then there is nothing to compare. */
export async function refuseDifferentAnswers(
  reference: Server,
  subject: Server,
  { path, headers }: Target,
): Promise<void> {
  const [expected, answered] = await Promise.all(
    [reference, subject].map(async ({ url }) => (await fetch(`${url}${path}`, { headers })).text()),
  );
  if (expected === answered) return;
  const from = [...(expected ?? '')].findIndex((letter, index) => letter !== answered?.[index]);
  const [one, other] = [expected, answered].map((text) => text?.slice(from, from + 200));
  throw new Error(`From byte ${from} on the reference answers other bytes than Ballast:\n${one}\nand not\n${other}`);
}
