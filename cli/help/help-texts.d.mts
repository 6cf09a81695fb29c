import type { SettingView } from './settings-table.ts';

export interface KnownHelp {
  commands: readonly {
    name: string;
    summary: string;
    usage: string;
    details: string;
    options: readonly { flag: string; what: string }[];
  }[];
  settings: readonly SettingView[];
}

export function helpTexts(
  known: () => KnownHelp,
  version: () => string,
): {
  /** The text to print if these words ask for help or the version; undefined if they ask for something else. */
  helpFor(args: readonly string[]): string | undefined;
  namesCommand(args: readonly string[]): boolean;
};
