import { agentCommands } from '../../agent/program/commands.ts';
import { type Option as AgentOption, describeOption, readValues } from '../../agent/program/options.ts';
import type { Command, Option } from '../engine/command.ts';

/** A command of the installed agent, as a checkout offers it: the agent reads its own options, which have variables, too. */
export async function agentCommand(name: string): Promise<Command> {
  const load = agentCommands[name];
  if (load === undefined) throw new Error(`The agent has no command ${name}.`);
  const known = await load();
  return {
    summary: known.summary.replace(/\.$/, ''),
    usage: known.word === undefined ? '[options]' : `[${known.word}] [options]`,
    details: known.details,
    options: Object.fromEntries(Object.entries(known.options).map(([option, one]) => [option, described(one)])),
    run: async (args) => {
      process.exit(await known.run(readValues(known, args, process.env)));
    },
  };
}

function described(option: AgentOption): Option {
  const what = describeOption(option);
  return option.value === undefined ? { type: 'boolean', what } : { type: 'string', value: option.value, what };
}
