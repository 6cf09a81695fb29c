import { processRules, serviceRules } from '../services/field-rules.ts';
import { filePathFault } from '../services/file-faults.ts';
import { volumeFaults, volumeNamePattern } from '../services/volumes.ts';
import type { ItemKind } from './items.ts';

interface RuleInput {
  key: string;
  value: unknown;
}
interface Fault {
  field: 'key' | 'value';
  message: string;
}

/** The rule of a kind of change. */
interface ItemRule {
  fault(given: RuleInput): Fault | undefined;
}

export const mostVariableBytes = 131_072;
/** Of a draft: whoever looks at one reads all of it, and others wait meanwhile. */
export const draftLimits = { items: 20_000, bytes: 8 * 1024 * 1024 };
const variableKey = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

const nothing: ItemRule = { fault: () => undefined };

function keyFault({ key }: RuleInput): Fault | undefined {
  if (!variableKey.test(key)) {
    return {
      field: 'key',
      message: 'must be of letters, digits and _, not begin with a digit and have at most 256 characters',
    };
  }
  if (key === 'PORT') return { field: 'key', message: 'is set by Ballast: it is the port of the process' };
  return undefined;
}

/** The key is where the file is, the value the variable that it is made of. */
function fileFault({ key, value }: RuleInput): Fault | undefined {
  const message = filePathFault(key);
  if (message !== undefined) return { field: 'key', message };
  if (value === undefined || (typeof value === 'string' && keyFault({ key: value, value: '' }) === undefined)) {
    return undefined;
  }
  return { field: 'value', message: 'must be the name of a variable of the service' };
}

function settingFault(rules: Readonly<Record<string, (value: unknown) => string | undefined>>) {
  return ({ key, value }: RuleInput): Fault | undefined => {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) return { field: 'key', message: `must be one of ${Object.keys(rules).join(', ')}` };
    const message = rule(value);
    return message === undefined ? undefined : { field: 'value', message };
  };
}

/** The key is the volume's name, the value the rest of it. */
function newVolumeFault({ key, value }: RuleInput): Fault | undefined {
  if (!volumeNamePattern.test(key)) {
    return { field: 'key', message: 'must be 1 to 40 lower case letters, digits and hyphens, a letter first' };
  }
  const { mountPath, sizeBytes, storageClass, ...others } = Object(value) as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { field: 'value', message: `has a field "${unknown.slice(0, 40)}" that is not known` };
  if (storageClass !== undefined && storageClass !== '') {
    return { field: 'value', message: 'storageClass must be empty: no cluster of this version has storage classes' };
  }
  const [fault] = volumeFaults({ name: key, mountPath: String(mountPath ?? ''), sizeBytes: sizeBytes as number });
  return fault === undefined ? undefined : { field: 'value', message: `${fault.field} ${fault.message}` };
}

/** Each kind of change, and what its key and its value must be. */
export const itemRules: Readonly<Record<ItemKind, ItemRule>> = {
  'variable.set': {
    fault: (given) => {
      const fault = keyFault(given);
      if (fault !== undefined) return fault;
      const bytes = Buffer.byteLength(String(given.value));
      return bytes > mostVariableBytes ? { field: 'value', message: 'must have at most 128 kB' } : undefined;
    },
  },
  'variable.unset': { fault: keyFault },
  'file.set': { fault: fileFault },
  'file.unset': { fault: fileFault },
  'service.create': nothing,
  'service.set': { fault: settingFault(serviceRules) },
  'service.remove': nothing,
  'process.create': nothing,
  'process.set': { fault: settingFault(processRules) },
  'process.delete': nothing,
  'volume.create': { fault: newVolumeFault },
  'volume.grow': {
    fault: ({ value }) =>
      Number.isSafeInteger(value) && Number(value) >= 1
        ? undefined
        : { field: 'value', message: 'must be a whole number of bytes from 1' },
  },
  'volume.delete': nothing,
};
