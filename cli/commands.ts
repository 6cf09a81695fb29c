import type { Command } from './command.ts';

/** What `./ballast` does. Each is loaded when it is asked for: `api` and `worker` should start quickly. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).up,
  api: async () => (await import('./processes.ts')).api,
  worker: async () => (await import('./processes.ts')).worker,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'token create': async () => (await import('./token-create.ts')).tokenCreate,
  'keys rotate': async () => (await import('./keys-rotate.ts')).keysRotate,
  help: async () => (await import('./help.ts')).help,
};
