import { defaultProcess, noSource } from '../../domain/services/settings.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

/** A setting as it was typed. */
export interface Setting {
  of: 'process' | 'service';
  key: string;
  value: unknown;
}

type Read = (text: string, field: string) => unknown;

const plain: Read = (text) => text;
const number: Read = (text, field) => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${field} must be a whole number.`);
};
const switched: Read = (text, field) => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`${field} must be true or false.`);
};
const list: Read = (text, field) => {
  if (!text.startsWith('[')) return text.split(/\s+/).filter((word) => word !== '');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${field} is no list in JSON, such as ["node", "server.js"].`);
  }
};

const ofService: Record<string, Read> = {
  releaseCommand: list,
  releaseCommandTimeoutSeconds: number,
  dependsOn: list,
};
/** Those that a process need not have. */
const optional = [
  'port',
  'runAsUser',
  'cpuLimitMilli',
  'cpuRequestMilli',
  'memoryLimitBytes',
  'memoryRequestBytes',
  'metricsPort',
];
const ofProcess: Record<string, Read> = {
  ...Object.fromEntries(Object.entries(defaultProcess).map(([key, value]) => [key, readerOf(value)])),
  ...Object.fromEntries(optional.map((key) => [key, orNothing(number)])),
};

/** `FIELD=VALUE` as the API takes it. */
export function readSetting(word: string): Setting {
  const [, key = '', text = ''] = /^([A-Za-z]+)=(.*)$/s.exec(word) ?? [];
  if (key === 'image') return { of: 'service', key: 'source', value: { ...noSource, imageRepository: text } };
  const service = Object.hasOwn(ofService, key) ? ofService[key] : undefined;
  if (service !== undefined) return { of: 'service', key, value: service(text, key) };
  const process = Object.hasOwn(ofProcess, key) ? ofProcess[key] : undefined;
  if (process !== undefined) return { of: 'process', key, value: process(text, key) };
  if (key === '') throw new UsageError(`"${printable(word)}" is not of the form FIELD=VALUE; see --help.`);
  const known = [...Object.keys(ofProcess), 'image', ...Object.keys(ofService)];
  throw new UsageError(`There is no setting ${key}; there is: ${known.join(', ')}.`);
}

function readerOf(value: unknown): Read {
  if (Array.isArray(value)) return list;
  if (typeof value === 'number') return number;
  return typeof value === 'boolean' ? switched : plain;
}

function orNothing(read: Read): Read {
  return (text, field) => (text === '' ? null : read(text, field));
}
