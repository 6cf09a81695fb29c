import { finishCommand, noSuchCommand } from '../../db/commands/cluster-commands.ts';
import { effect } from '../../db/engine/effect.ts';
import { isId } from '../../domain/ids.ts';
import { commandResult as commandResultBody } from '../../protocol/command.ts';
import { incarnationRoute } from '../agent-link/agent-route.ts';
import { mustFit } from '../agent-link/must-fit.ts';

/** How a command ended. A result that comes twice wakes the waiting actor once. */
export const commandResult = incarnationRoute({
  method: 'POST',
  url: 'commands/:id/result',
  body: commandResultBody,
  async handle({ server, body, id }, agent): Promise<void> {
    if (!isId(id)) throw noSuchCommand();
    mustFit('body', body.attempt, body.exitCode);
    await effect(server.database, agent.author, (finishing) => finishCommand(finishing, agent.cluster, id, body));
  },
});
