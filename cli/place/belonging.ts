import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../engine/command.ts';

const slug = z.string().min(1).max(100);

const belongingSchema = z.strictObject({
  organization: slug,
  project: slug,
  service: slug.optional(),
  environment: slug.optional(),
});

/** The place of a directory, by slugs. No secrets: the file may be committed. */
export type Belonging = z.output<typeof belongingSchema>;

/** The nearest `.ballast/project`, upwards from this directory. */
export function findBelonging(directory: string): { file: string; belonging: Belonging } | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const file = fileIn(at);
    if (existsSync(file)) return { file, belonging: read(file) };
    if (dirname(at) === at) return undefined;
  }
}

/** Answers the file, or nothing if it says the same already. */
export function writeBelonging(directory: string, belonging: Belonging): string | undefined {
  const file = fileIn(directory);
  const text = `${JSON.stringify(belonging, undefined, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return undefined;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function fileIn(directory: string): string {
  return join(directory, '.ballast', 'project');
}

function read(file: string): Belonging {
  try {
    return belongingSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : String(error);
    throw new UsageError(`${file} cannot be read: ${why}. \`./ballast link --project NAME\` writes it anew.`);
  }
}
