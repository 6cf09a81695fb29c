import type { Command } from './command.ts';

/** What `./ballast` does. Each is loaded when it is asked for: `api` and `worker` should start quickly. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).up,
  api: async () => (await import('./processes.ts')).api,
  worker: async () => (await import('./processes.ts')).worker,
  identity: async () => (await import('./processes.ts')).identity,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'sign-in-link': async () => (await import('./sign-in-link.ts')).signInLink,
  'user list': async () => (await import('./user-list.ts')).userList,
  'user reset': async () => (await import('./user-reset.ts')).userReset,
  'user disable': async () => (await import('./user-disable.ts')).userDisable,
  'user enable': async () => (await import('./user-enable.ts')).userEnable,
  'admin link': async () => (await import('./admin-link.ts')).adminLink,
  'token create': async () => (await import('./token-create.ts')).tokenCreate,
  'keys rotate': async () => (await import('./keys-rotate.ts')).keysRotate,
  help: async () => (await import('./help.ts')).help,
};
