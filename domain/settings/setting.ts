import { isIP } from 'node:net';
import { resolve } from 'node:path';

/**
 * One setting: an environment variable with a type. `T` is what the program reads. `fallback` is what it gets when the
 * variable is absent or empty; a function derives it from the settings above it in the table.
 */
export interface Setting<T> {
  what: string;
  /** The form of a value, to end the sentence "it must be …". */
  form: string;
  example: string;
  parse: (text: string) => T | undefined;
  fallback: T | ((above: Readonly<Record<string, unknown>>) => T);
  /** The default as people read it. */
  shown: string;
  /** A secret is never printed, not even in the sentence that refuses it. */
  secret: boolean;
}

interface Kind<T> {
  form: string;
  example: string;
  parse: (text: string) => T | undefined;
}

interface Wording {
  secret?: boolean;
  example?: string;
  shown?: string;
}

export function setting<T>(
  what: string,
  kind: Kind<T>,
  fallback: Setting<T>['fallback'],
  more: Wording = {},
): Setting<T> {
  const shown = more.shown ?? (typeof fallback === 'function' ? '' : String(fallback));
  return { what, ...kind, fallback, shown, example: more.example ?? kind.example, secret: more.secret ?? false };
}

/** A setting without a default: absent means that the feature it names is off, or that the embedded part is used. */
export function optional<T>(what: string, kind: Kind<T>, more: Wording = {}): Setting<T | undefined> {
  return setting<T | undefined>(what, kind, undefined, { shown: '', ...more });
}

export const text: Kind<string> = { form: 'a text without line breaks', example: 'value', parse: plainText };

export const address: Kind<string> = {
  form: 'an IP address of this machine',
  example: '0.0.0.0',
  parse: (value) => (isIP(value) > 0 ? value : undefined),
};

export const path: Kind<string> = {
  form: 'a path',
  example: '/etc/ballast/file',
  // Resolved here, once: the processes that are handed the setting may run in another directory.
  parse: (value) => (plainText(value) === undefined ? undefined : resolve(value)),
};

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    form: `a whole number from ${least} to ${most}`,
    example: String(Math.min(most, Math.max(least, 100))),
    parse: (value) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export const yesOrNo: Kind<boolean> = {
  form: 'true or false',
  example: 'true',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
};

export function oneOf<const T extends string>(...values: T[]): Kind<T> {
  return {
    form: `one of ${values.join(', ')}`,
    example: values[0] ?? '',
    parse: (value) => values.find((known) => known === value),
  };
}

const unitMilliseconds: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time, read as milliseconds. */
export function duration(least: number, most: number): Kind<number> {
  return {
    form: `a duration such as 500ms, 30s, 5m, 2h or 7d, from ${inWords(least)} to ${inWords(most)}`,
    example: '30s',
    parse: (value) => {
      const [, digits, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value) ?? [];
      const milliseconds = Number(digits) * (unitMilliseconds[unit ?? ''] ?? Number.NaN);
      return milliseconds >= least && milliseconds <= most ? milliseconds : undefined;
    },
  };
}

function inWords(milliseconds: number): string {
  const unit = ['d', 'h', 'm', 's'].find((name) => milliseconds % (unitMilliseconds[name] ?? 1) === 0) ?? 'ms';
  return `${milliseconds / (unitMilliseconds[unit] ?? 1)}${unit}`;
}

export function url(...schemes: string[]): Kind<string> {
  return {
    form: `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    example: `${schemes[0]}://example.com`,
    parse: (value) => {
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      return parsed && parsed.hostname !== '' && schemes.includes(parsed.protocol.slice(0, -1)) ? value : undefined;
    },
  };
}

/** Without credentials in an address: it is shown when something is wrong with it. */
export const pathOrHttps: Kind<string> = {
  form: 'a path or a URL that begins with https://',
  example: 'https://mirror.example.com/temporal.tar.gz',
  parse: (value) => {
    if (!/^[a-z][a-z0-9+.-]*:/i.test(value)) return path.parse(value);
    return url('https').parse(value) !== undefined && new URL(value).username === '' ? value : undefined;
  },
};

/** The address of a site as browsers see it: no path, because the console's links begin at its root. */
export const origin: Kind<string> = {
  form: 'an address such as https://ballast.example.com, without a path',
  example: 'https://ballast.example.com',
  parse: (value) => {
    const parsed = url('http', 'https').parse(value) === undefined ? undefined : new URL(value);
    if (parsed?.pathname !== '/' || parsed.search || parsed.hash || parsed.username) return undefined;
    return parsed.origin;
  },
};

/** The beginning of addresses, whose paths are appended. Without credentials: it is shown when something is wrong with it. */
export const httpsBase: Kind<string> = {
  form: 'an address that begins with https://, without a user name or a query',
  example: 'https://events.eu.pagerduty.com',
  parse: (value) => {
    const parsed = url('https').parse(value) === undefined ? undefined : new URL(value);
    if (parsed === undefined || parsed.search || parsed.hash || parsed.username || parsed.password) return undefined;
    return parsed.href.replace(/\/+$/, '');
  },
};

/** As it is part of a host's name with most providers. */
export const bucketName: Kind<string> = {
  form: 'the name of a bucket: 3 to 63 lower case letters, digits, dashes and dots',
  example: 'acme-images',
  parse: (value) => (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? value : undefined),
};

export const keyPrefix: Kind<string> = {
  form: 'letters, digits, dashes, dots and underscores, with slashes between them',
  example: 'ballast/registry',
  parse: (value) => (/^\w[\w.-]*(?:\/\w[\w.-]*)*\/?$/.test(value) && value.length <= 200 ? value : undefined),
};

export const hostAndPort: Kind<string> = {
  form: 'a host and a port',
  example: 'temporal.example.com:7233',
  parse: (value) => {
    const [, host, port] = /^([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(value) ?? [];
    return host && Number(port) >= 1 && Number(port) <= 65_535 ? value : undefined;
  },
};

/** Addresses and ranges, as `10.0.0.0/8,fd00::/8`. */
export const ranges: Kind<readonly string[]> = {
  form: 'a list of IP addresses or ranges with commas between them',
  example: '10.0.0.0/8,192.0.2.7',
  parse: (value) => {
    const list = value.split(',').map((entry) => entry.trim());
    return list.every(isRange) ? list : undefined;
  },
};

/** Domain names, as `example.com,example.org`. */
export const domains: Kind<readonly string[]> = {
  form: 'a list of domain names with commas between them',
  example: 'example.com,example.org',
  parse: (value) => {
    const list = value.split(',').map((entry) => entry.trim().toLowerCase());
    return list.every((entry) => /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(entry))
      ? list
      : undefined;
  },
};

function isRange(entry: string): boolean {
  const [ip, prefix, ...rest] = entry.split('/');
  const version = isIP(ip ?? '');
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function plainText(value: string): string | undefined {
  return [...value].every((letter) => letter >= ' ' && letter !== '\u007f') ? value : undefined;
}
