import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { agentStatusSchema, agentUpdateSchema } from '../../api/agents/operations.ts';
import { Events, Progress } from '../engine/progress.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';

export type Attempt = z.output<typeof agentUpdateSchema>;

/** Says how an agent's update goes, and fails with its sentence if it does. */
export async function tellUpdate(
  rest: Rest,
  path: string,
  begun: Attempt,
  { wait, json }: { wait: boolean; json: boolean },
): Promise<void> {
  const ended = wait ? await over(rest, path, begun, json) : begun;
  if (json) process.stdout.write(`${JSON.stringify(ended, undefined, 2)}\n`);
  else process.stdout.write(`${ended.fromImage} to ${ended.toImage}: ${ended.status}\n`);
  if (wait && ended.status !== 'succeeded') {
    throw new RestRefusal(ended.message || `The update of the agent is ${ended.status}.`);
  }
}

async function over(rest: Rest, path: string, begun: Attempt, json: boolean): Promise<Attempt> {
  const progress = new Progress(process.stderr);
  const events = new Events();
  try {
    for (let attempt = begun; ; ) {
      const { id, fromImage, toImage, status, message, finishedAt } = attempt;
      if (json) events.tell('agent-update', id, { updateId: id, fromImage, toImage, status, message });
      if (finishedAt !== undefined) return attempt;
      if (!json) progress.running('update', `the agent's update is ${status}`);
      await pause(1000);
      const { history } = await rest.call<z.output<typeof agentStatusSchema>>('GET', `${path}/agent`);
      attempt = history.find(({ id }) => id === begun.id) ?? attempt;
    }
  } finally {
    progress.end();
  }
}
