import { clientCommands } from './commands.ts';

const ours = [...Object.keys(clientCommands), 'help'].map((name) => name.replace(' ', ' +')).join('|');
/** A command that is one of ours, or that is put in later. */
const ofOurs = new RegExp(`\\.\\/ballast(?= (?:(?:${ours})\\b|\\$\\{))`, 'g');

/** Commands as they are typed where this is installed alone. Those of an installation keep the path: they run in its checkout. */
export function asTyped(text: string): string {
  return text.replace(ofOurs, 'ballast');
}
