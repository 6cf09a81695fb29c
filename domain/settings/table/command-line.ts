import { optional, origin, path, type Setting, text } from '../setting.ts';

/** Of commands that ask a control plane, here or elsewhere. */
export const commandLineSettings = {
  BALLAST_URL: optional('Control plane that `ballast cluster …` connects to; PUBLIC_URL if unset.', origin, {
    example: 'https://ballast.example.com',
  }),
  BALLAST_TOKEN: optional('API token that `ballast cluster …` authenticates with.', text, { secret: true }),
  BALLAST_SESSION_FILE: optional(
    'File with the session that `ballast notification …` reads an inbox with: the value of the cookie svc_session.',
    path,
  ),
} as const satisfies Record<string, Setting<unknown>>;
