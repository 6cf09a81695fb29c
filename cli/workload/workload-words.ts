import { type FieldFault, faultsText, printableLines, RestRefusal } from '../engine/rest.ts';

interface Named {
  name: string;
  processes?: unknown;
}

/** A refusal of what a file says, in the words of that file: `"port" of process web of workload shop in shop.yaml`. */
export function inWordsOfFile(refusal: RestRefusal, file: string, workloads: readonly Named[]): RestRefusal {
  if (refusal.errors.length === 0) return refusal;
  const faults = refusal.errors.map(
    (fault): FieldFault => ({ ...fault, location: placeOf(fault.location, file, workloads) }),
  );
  return new RestRefusal(printableLines(faultsText(faults)), refusal.status, refusal.errors);
}

/** `field` of a workload, as a sentence begins with it. */
export function placeIn(file: string, workload: string, field: string, process?: string): string {
  const owner = process === undefined ? '' : `process ${process} of `;
  return [field === '' ? '' : `"${field}" of `, owner, `workload ${workload} in ${file}`].join('');
}

function placeOf(location: string, file: string, workloads: readonly Named[]): string {
  const [, index, rest = ''] = /^body\.workloads\[(\d+)\]\.?(.*)$/.exec(location) ?? [];
  const workload = index === undefined ? undefined : workloads[Number(index)];
  if (workload === undefined) return location.replace(/^body\.?/, '');
  const [, at, field = ''] = /^processes\[(\d+)\]\.?(.*)$/.exec(rest) ?? [];
  if (at === undefined) return placeIn(file, workload.name, rest);
  return placeIn(file, workload.name, field, processName(workload.processes, Number(at)));
}

function processName(processes: unknown, index: number): string {
  const process: unknown = Array.isArray(processes) ? processes[index] : undefined;
  const named =
    typeof process === 'object' && process !== null && 'name' in process && typeof process.name === 'string';
  return named ? String(process.name) : `number ${index + 1}`;
}
