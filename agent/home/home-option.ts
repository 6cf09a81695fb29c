import type { Option } from '../program/options.ts';
import { defaultHome } from './home.ts';

export const homeOption: Option = {
  value: 'DIRECTORY',
  what: "Directory of the agent's data.",
  variable: 'BALLAST_AGENT_HOME',
  default: defaultHome(),
  defaultInHelp: '/var/lib/ballast-agent for root, else ~/.local/share/ballast-agent',
};
