import {
  allowInsecureRequests,
  buildEndSessionUrl,
  type Configuration,
  type CustomFetch,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client';
import type { Logger } from 'pino';
import { builtInClientId, builtInClientSecret, builtInProviderId } from '../../db/keys/identity-secrets.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import { Problem } from '../../domain/problems.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { askedOnce, askingBuiltInProvider } from '../sign-in/built-in-provider.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly provider: Provider;
  }
}

/** The OpenID provider that people sign in with. */
export interface Provider {
  /** Keys identities: constant for the built-in provider, so that accounts survive a change of address. */
  id: string;
  issuer: string;
  name: string;
  builtIn: boolean;
  scope: string;
  /** The provider's metadata, fetched on first use. Throws a Problem while the provider is unreachable. */
  configuration(): Promise<Configuration>;
  /** The address at which signing out continues: the provider's own page, or ours where it has none or does not answer in time. */
  endSessionUrl(): Promise<string>;
}

const answerWithinSeconds = 10;
const keptMillis = 3_600_000;
/** Longest that signing out waits for a provider that has not been asked before. */
const signOutWithinMillis = 2_000;

/** The provider that the settings name, or the built-in one. Nothing is asked of it yet. */
export function providerOf(settings: Settings, keyring: Pick<Keyring, 'identityKey'>, log: Logger): Provider {
  const builtIn = settings.OIDC_ISSUER === undefined;
  const issuer = settings.OIDC_ISSUER ?? `${settings.PUBLIC_URL}/oidc`;
  let kept: { configuration: Promise<Configuration>; until: number } | undefined;

  function configuration(): Promise<Configuration> {
    if (kept !== undefined && performance.now() < kept.until) return kept.configuration;
    const asked = { configuration: discover(), until: performance.now() + keptMillis };
    kept = asked;
    asked.configuration.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.configuration;
  }

  async function discover(): Promise<Configuration> {
    refuseUnsafeAddresses(settings, issuer);
    const id = builtIn ? builtInClientId : required(settings, 'OIDC_CLIENT_ID');
    const secret = builtIn ? builtInClientSecret(keyring.identityKey()) : settings.OIDC_CLIENT_SECRET;
    const fetching = builtIn ? { [customFetch]: directly(settings) } : {};
    try {
      return await discovery(
        new URL(issuer),
        id,
        // Clocks are compared in sign-in.ts, which can say how far they are apart.
        { ...(secret === undefined ? {} : { client_secret: secret }), [clockTolerance]: 86_400 },
        undefined,
        {
          timeout: answerWithinSeconds,
          execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
          ...fetching,
        },
      );
    } catch (error) {
      throw unreachable(error, log);
    }
  }

  return {
    id: builtIn ? builtInProviderId : issuer,
    issuer,
    name: settings.OIDC_PROVIDER_NAME,
    builtIn,
    scope: builtIn ? 'openid profile email' : settings.OIDC_SCOPES,
    configuration,
    async endSessionUrl() {
      const own = `${settings.PUBLIC_URL}/signed-out`;
      const tooLate = new Promise<undefined>((resolve) => setTimeout(resolve, signOutWithinMillis, undefined).unref());
      const known = await Promise.race([configuration().catch(() => undefined), tooLate]);
      if (known?.serverMetadata().end_session_endpoint === undefined) return own;
      return buildEndSessionUrl(known, { post_logout_redirect_uri: own }).href;
    },
  };
}

/** The built-in provider is reached where it listens; people reach it through us, beneath the issuer's address. */
function directly(settings: Settings): CustomFetch {
  const ask = askingBuiltInProvider(settings);
  if (ask === undefined) {
    throw new Problem(
      'sign-in-refused',
      'This installation has no identity provider: set OIDC_ISSUER, or run `ballast identity` and set BUILT_IN_PROVIDER_SOCKET.',
    );
  }
  const { origin, host, protocol } = new URL(settings.PUBLIC_URL);
  return async (url, { headers, method, signal, body }) => {
    const asked = new URL(url);
    if (asked.origin !== origin)
      throw new Error(`The built-in provider named ${asked.origin}, which is not PUBLIC_URL.`);
    const content = body === undefined || body === null ? undefined : String(body);
    return await askedOnce(ask, {
      method,
      path: `${asked.pathname}${asked.search}`,
      headers: { ...headers, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) },
      ...(signal === undefined ? {} : { signal }),
      ...(content === undefined ? {} : { body: content }),
    });
  };
}

/** A code, a password or a session that travels in the open is anybody's; on this machine nobody sees it pass. */
function refuseUnsafeAddresses({ PUBLIC_URL }: Settings, issuer: string): void {
  if (!isSafe(PUBLIC_URL)) {
    throw new Problem(
      'sign-in-refused',
      `Nobody can sign in at ${PUBLIC_URL}, because what is sent there can be read on the way: put a proxy with TLS in front and set PUBLIC_URL to its https address, or sign in on the machine itself at its localhost address.`,
    );
  }
  if (!isSafe(issuer)) {
    throw new Problem(
      'sign-in-refused',
      'OIDC_ISSUER is an http address on another machine, where what is sent can be read on the way; set the https address of the provider.',
    );
  }
}

function isSafe(address: string): boolean {
  return new URL(address).protocol === 'https:' || isThisMachine(address);
}

/** Whether an address leads to this machine, whatever it is called there. */
export function isThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^(?:127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** Discovery requests hold no secrets, so the log may carry the whole error. */
function unreachable(error: unknown, log: Logger): unknown {
  if (error instanceof Problem) return error;
  log.warn({ err: error }, 'The identity provider could not be asked what it is');
  return new Problem(
    'unavailable',
    'The identity provider cannot be reached, or is not what OIDC_ISSUER says; try again in a moment. The log of this installation has the details.',
    { retryAfterSeconds: 5 },
  );
}
