import { stripVTControlCharacters } from 'node:util';
import { reason } from '../program/log.ts';
import { adviceOn } from './advice.ts';
import type { SandboxEnd } from './sandbox/sandbox.ts';

const longestLine = 160;
const longestMessage = 3_800;

/** How a command of a step ended, other than well. */
export class CommandFailed extends Error {
  readonly command: string;
  readonly end: SandboxEnd;

  constructor(command: string, end: SandboxEnd) {
    super(toldOf(end));
    this.command = command;
    this.end = end;
  }
}

/** An instruction of a Dockerfile failed, and these were its last lines. */
export class InstructionFailed extends CommandFailed {
  override readonly message: string;
  readonly lines: readonly string[];

  constructor(instruction: string, end: SandboxEnd, lines: readonly string[]) {
    super(instruction, end);
    this.message = `${instruction} ${toldOf(end).replace(/^its command /, '')}`;
    this.lines = lines;
  }
}

/** The end of a build: names the step, how it ended, what to do if that is known, and its last lines. */
export class StepFailed extends Error {
  static of(step: string, error: unknown, lastLines: readonly string[]): StepFailed {
    if (!(error instanceof CommandFailed)) return new StepFailed(`The step ${step} failed: ${sentence(reason(error))}`);
    const last = error instanceof InstructionFailed ? error.lines : lastLines;
    const plain = last.map((line) => stripVTControlCharacters(line));
    // Why may stand at the end of a line that is too long to be told.
    const advice = adviceOn({ command: error.command, end: error.end, lines: plain });
    const lines = plain.map((line) => line.slice(0, longestLine));
    const told = [`The step ${step} failed: ${sentence(error.message)}`, ...(advice === undefined ? [] : [advice])];
    const room = longestMessage - told.join(' ').length;
    return new StepFailed([told.join(' '), ...lastThatFit(lines, room)].join('\n'));
  }
}

function toldOf(end: SandboxEnd): string {
  if (end.ended === 'exited') return `its command exited with code ${end.code}.`;
  if (end.ended === 'killed') return `its command was ended by ${end.by}.`;
  return `${end.message.charAt(0).toLowerCase()}${end.message.slice(1)}`;
}

function lastThatFit(lines: readonly string[], room: number): string[] {
  const fitting: string[] = [];
  let left = room;
  for (const line of lines.toReversed()) {
    left -= line.length + 1;
    if (left < 0) break;
    fitting.unshift(line);
  }
  return fitting;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
