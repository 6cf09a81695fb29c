import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { firstOwnerLink } from '../sign-in.ts';
import type { Answers, Order, Task } from './preparation.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readyNamespace } from './ready-namespace.ts';
import { whileAway } from './while-away.ts';

type Tell = (text: string) => void;
type Env = Order['env'];
type Tasks = {
  [Name in Task]: (settings: Settings, tell: Tell, signal: AbortSignal, env: Env) => Promise<Answers[Name]>;
};

/** The steps of a start that need the clients of PostgreSQL and Temporal. */
const tasks: Tasks = {
  tables: (settings, tell, signal) =>
    whileAway(postgres(tell, signal), async () => ({ applied: (await prepareDatabase(settings, tell)).applied })),
  namespace: (settings, tell, signal, env) => {
    // Only ours is brought back by its supervisor; one that is not ours, and not there, is worth a word at once.
    const ours = env.TEMPORAL_ADDRESS !== undefined;
    const isAway = (error: unknown): boolean => ours && hasStatus(error, 'unavailable', 'deadlineExceeded');
    return whileAway({ name: 'Temporal', signal, isAway, onAway: (text) => text && tell(text) }, async () => ({
      id: await readyNamespace(settings, signal),
    }));
  },
  'first-owner-link': (settings, tell, signal) =>
    whileAway(postgres(tell, signal), async () => ({ link: await firstOwnerLink(settings) })),
};

function postgres(tell: Tell, signal: AbortSignal) {
  return { name: 'PostgreSQL', signal, onAway: (text: string | undefined) => text && tell(text) };
}

export async function runTask({ task, env }: Order, tell: Tell, signal: AbortSignal): Promise<Answers[Task]> {
  return await tasks[task](readSettings({ ...process.env, ...env }), tell, signal, env);
}
