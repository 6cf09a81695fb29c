import { optional, origin, path, type Setting, text } from '../setting.ts';

/** Of commands that ask a control plane, here or elsewhere. */
export const commandLineSettings = {
  BALLAST_URL: optional('Control plane that commands ask; PUBLIC_URL if unset.', origin, {
    example: 'https://ballast.example.com',
  }),
  BALLAST_TOKEN: optional('API token that commands show to the control plane.', text, { secret: true }),
  BALLAST_JOB_TOKEN: optional('Token that the CI gave a job, for `ballast token exchange`.', text, { secret: true }),
  BALLAST_SESSION_FILE: optional(
    'File with the session that `ballast notification …` reads an inbox with: the value of the cookie svc_session.',
    path,
  ),
} as const satisfies Record<string, Setting<unknown>>;
