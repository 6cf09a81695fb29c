/** Checks of host names that frameworks make themselves, known by how they refuse one. */
export const hostChecks = ['django', 'rails', 'vite', 'webpack', 'starlette', 'symfony'] as const;
export type HostCheck = (typeof hostChecks)[number];

/** host: it refuses the name. https-loop, https: it redirects there. path: only the path that was asked is not there. */
export const answerFaultKinds = ['host', 'https', 'https-loop', 'path'] as const;

/** An answer that shows a setting which does not fit where the program runs. */
export interface AnswerFault {
  kind: (typeof answerFaultKinds)[number];
  status: number;
  /** The path and the host name that were asked. */
  path: string;
  host: string;
  by?: HostCheck | undefined;
  /** Of GET / where `path` is not there. */
  rootStatus?: number | undefined;
}

/** So much of an answer's body is looked at. */
export const mostOfBody = 16_384;

/** Bodies are a stranger's: they are searched for these, and nothing of them is repeated. */
const refusals: readonly { by: HostCheck; status: readonly number[]; body: RegExp }[] = [
  { by: 'django', status: [400], body: /DisallowedHost|ALLOWED_HOSTS|<h1>Bad Request \(400\)<\/h1><p><\/p>/ },
  { by: 'rails', status: [403], body: /Blocked hosts?: / },
  { by: 'vite', status: [403], body: /Blocked request\. This host \(/ },
  { by: 'webpack', status: [200, 403], body: /^Invalid Host header/ },
  { by: 'starlette', status: [400], body: /^Invalid host header/ },
  { by: 'symfony', status: [400], body: /Untrusted Host/ },
];

/** The framework that has refused the host name of a request, if the answer is one of those that are known. */
export function hostCheckOf(status: number, body: string): HostCheck | undefined {
  return refusals.find((one) => one.status.includes(status) && one.body.test(body))?.by;
}

const hostSettings: Record<HostCheck, { name: string; setting: string }> = {
  django: { name: 'Django', setting: 'ALLOWED_HOSTS in its settings' },
  rails: { name: 'Rails', setting: 'config.hosts in config/environments/production.rb' },
  vite: {
    name: 'Vite',
    setting: 'preview.allowedHosts or server.allowedHosts in vite.config (its servers are for development)',
  },
  webpack: {
    name: 'The development server of webpack',
    setting: 'devServer.allowedHosts in webpack.config.js, or serve what it builds',
  },
  starlette: { name: 'TrustedHostMiddleware (Starlette, FastAPI)', setting: 'its allowed_hosts' },
  symfony: { name: 'Symfony or Laravel', setting: 'framework.trusted_hosts or the middleware TrustHosts' },
};

/** The sentences of those that are of a kind which this version knows. */
export function answerSentences(told: readonly unknown[]): string[] {
  return told.filter(isAnswerFault).map(answerSentence);
}

function isAnswerFault(value: unknown): value is AnswerFault {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, status, path, host, by, rootStatus } = value as Partial<Record<keyof AnswerFault, unknown>>;
  const known = answerFaultKinds.some((one) => one === kind) && [undefined, ...hostChecks].some((one) => one === by);
  const numbers = [status, rootStatus ?? 0].every((one) => typeof one === 'number');
  return known && numbers && typeof path === 'string' && typeof host === 'string';
}

/** The setting that does not fit, and what to do. */
export function answerSentence({ kind, by, status, path, host, rootStatus }: AnswerFault): string {
  switch (kind) {
    case 'host': {
      const { name, setting } = hostSettings[by ?? 'django'];
      return `${name} refuses requests for the host ${host} with ${status}: add that name to ${setting}.`;
    }
    case 'https-loop':
      return `Every request for ${host} is redirected to https, also one that came by https, so that browsers end in a loop: have it believe X-Forwarded-Proto (Django: SECURE_PROXY_SSL_HEADER, Rails: config.assume_ssl, Laravel: TrustProxies, Express: trust proxy), or let it not redirect (SECURE_SSL_REDIRECT, config.force_ssl).`;
    case 'https':
      return `Requests for ${host} are redirected to https, which this cluster does not serve: put a proxy with a certificate in front of it and name that by --ingress-trusted-proxies of its agent, or let the application not redirect (Django: SECURE_SSL_REDIRECT, Rails: config.force_ssl).`;
    case 'path':
      return `GET / was answered with ${rootStatus ?? 200}: set the path of the check to one that is there, as by \`./ballast service set readinessPath=/\`, or answer at ${path}.`;
  }
}

/** Whether an answer sends the client to the same place by https. */
export function leadsToHttps(status: number, location: string | undefined, host: string): boolean {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return false;
  const to = URL.parse(location);
  return to?.protocol === 'https:' && to.hostname === host.toLowerCase();
}
