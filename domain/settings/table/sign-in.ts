import { domains, duration, oneOf, optional, path, type Setting, setting, text, url } from '../setting.ts';

/** Who signs in, by which provider, and for how long. */
export const signInSettings = {
  OIDC_ISSUER: optional('OpenID provider that people sign in with.', url('https', 'http'), {
    example: 'https://accounts.example.com',
  }),
  OIDC_CLIENT_ID: optional('Client id at that provider.', text),
  OIDC_CLIENT_SECRET: optional('Client secret at that provider.', text, { secret: true }),
  OIDC_SCOPES: setting('Scopes requested from that provider.', text, 'openid profile email', {
    example: 'openid profile email groups',
  }),
  OIDC_PROVIDER_NAME: setting(
    'Name of the provider on the sign-in page.',
    text,
    (above) => (above.OIDC_ISSUER === undefined ? 'Ballast' : new URL(String(above.OIDC_ISSUER)).hostname),
    { example: 'Acme Login', shown: 'the host of OIDC_ISSUER' },
  ),
  BUILT_IN_PROVIDER_SOCKET: optional(
    'Unix socket of the built-in OpenID provider (`ballast identity`), if OIDC_ISSUER names no other; in a directory that nobody else can enter. Set by `ballast up`.',
    path,
    { example: '/run/ballast/identity.sock' },
  ),
  BUILT_IN_PROVIDER_URL: optional(
    'Address of the built-in OpenID provider instead of its socket: https, or http on this machine.',
    url('https', 'http'),
    { example: 'https://identity.internal' },
  ),
  SIGN_IN_EMAIL_DOMAINS: setting<readonly string[]>(
    'Domains whose verified e-mail addresses may sign in without an invitation; none: invited people only.',
    domains,
    [],
  ),
  ORGANIZATION_CREATORS: setting(
    'Who may create organizations: owners of the first organization, or everyone who can sign in.',
    oneOf('owners', 'everyone'),
    'owners',
  ),
  SESSION_LIFETIME: setting('How long a session lasts at most.', duration(60_000, 31_536_000_000), 2_592_000_000, {
    shown: '30d',
    example: '30d',
  }),
  SESSION_IDLE: setting('How long a session lasts without a request.', duration(300_000, 31_536_000_000), 604_800_000, {
    shown: '7d',
    example: '7d',
  }),
  INVITATION_LIFETIME: setting(
    'How long an invitation can be accepted.',
    duration(60_000, 7_776_000_000),
    604_800_000,
    {
      shown: '7d',
      example: '7d',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>;
