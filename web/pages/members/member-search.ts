/** Whether every typed word occurs in a member's name, e-mail or teams. */
export function isSought(
  { name, email, teams = [] }: { name: string; email: string; teams?: readonly { name: string }[] },
  sought: string,
): boolean {
  const text = [name, email, ...teams.map((team) => team.name)].join('\n').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
