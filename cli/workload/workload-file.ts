import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../engine/command.ts';

const largest = 1_048_576;

/** The desired workloads of a cluster. The API checks the content of each, and names the field. */
export interface WorkloadFile {
  workloads: { name: string }[];
}

/** Reads a file of workloads, YAML or JSON; `-` is the standard input. */
export function readWorkloadFile(file: string): WorkloadFile {
  const lines = new LineCounter();
  const document = parseDocument(textOf(file), { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new UsageError(`${capital(nameOf(file))} cannot be read at line ${line}, column ${col}: ${fault.message}.`);
  }
  let content: unknown;
  try {
    // Aliases that stand for each other a thousand times would fill the memory.
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${capital(nameOf(file))} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (!isWorkloadFile(content)) {
    throw new UsageError(
      `${capital(nameOf(file))} has no list of workloads with names; it begins as \`workloads: [{ name: web, … }]\`, see docs/clusters.md.`,
    );
  }
  return content;
}

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`${capital(nameOf(file))} cannot be read (${why}).`);
  }
  if (bytes.length > largest) throw new UsageError(`${capital(nameOf(file))} is larger than 1 MiB; split it.`);
  return bytes.toString('utf8');
}

function isWorkloadFile(content: unknown): content is WorkloadFile {
  if (typeof content !== 'object' || content === null || !('workloads' in content)) return false;
  const { workloads, ...rest } = content;
  if (!Array.isArray(workloads) || Object.keys(rest).length > 0) return false;
  return workloads.every(
    (one: unknown) => typeof one === 'object' && one !== null && 'name' in one && typeof one.name === 'string',
  );
}

export function nameOf(file: string): string {
  return file === '-' ? 'the standard input' : file;
}

function capital(text: string): string {
  return text.startsWith('the ') ? `The ${text.slice(4)}` : text;
}
