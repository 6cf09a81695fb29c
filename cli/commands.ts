import { clientCommands } from './client/commands.ts';
import { type Command, from } from './engine/command.ts';

/** Each command is loaded when it is asked for: `api` and `worker` should start quickly. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  ...from(() => import('./installation/up.ts'), 'up'),
  ...from(() => import('./installation/down.ts'), 'down'),
  ...from(() => import('./installation/processes.ts'), 'api worker identity'),
  ...from(() => import('./installation/migrate.ts'), 'migrate'),
  ...from(() => import('./doctor/doctor.ts'), 'doctor'),
  ...from(() => import('./sign-in.ts'), 'sign-in-link'),
  ...from(() => import('./user.ts'), 'user', 'list reset disable enable verify'),
  ...from(() => import('./admin.ts'), 'admin', 'backup backups verify restore link'),
  ...from(() => import('./token.ts'), 'token', 'create'),
  ...clientCommands,
  ...from(() => import('./image/build.ts'), 'image', 'build'),
  ...from(() => import('./workflow/replay.ts'), 'replay'),
  'agent run': async () => (await import('./agent.ts')).agentCommand('run'),
  'agent join': async () => (await import('./agent.ts')).agentCommand('join'),
  'agent status': async () => (await import('./agent.ts')).agentCommand('status'),
  'agent trust': async () => (await import('./agent.ts')).agentCommand('trust'),
  'agent leave': async () => (await import('./agent.ts')).agentCommand('leave'),
  ...from(() => import('./agent.ts'), 'agent', 'sign'),
  ...from(() => import('./keys.ts'), 'keys', 'rotate'),
};
