import type { Option } from '../program/options.ts';
import { defaultHome } from './home.ts';

export const homeOption: Option = {
  value: 'DIRECTORY',
  what: 'Where the agent keeps what it has.',
  variable: 'BALLAST_AGENT_HOME',
  default: defaultHome(),
};
