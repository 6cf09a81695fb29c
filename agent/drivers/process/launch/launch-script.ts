/** Shells set these themselves, or take them for their own: `env` sets them last. Nothing secret has such a name. */
const shellsOwn =
  /^(_|PWD|OLDPWD|SHLVL|[E]?[UG]ID|PPID|IFS|OPT(IND|ARG|ERR)|LINENO|S?RANDOM|SECONDS|GROUPS|DIRSTACK|FUNCNAME|PIPESTATUS|SHELLOPTS|POSIXLY_CORRECT|PS[0-4]|BASH.*|EPOCH(SECONDS|REALTIME)|HIST.*|COMP_.*|LC_.*|LANG(UAGE)?|MAIL(CHECK|PATH)?|ENV|ATTY|TERM)$/;
const setByShells = ['_', 'PWD', 'OLDPWD', 'SHLVL'];

export interface Launch {
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** The program's absolute path and its arguments. */
  command: readonly string[];
  /** Where `env` is on this machine. */
  env: string;
}

/**
 * A script for a shell's standard input that becomes the command with exactly these variables. What is in it stands in
 * no process's arguments. The shell already runs as the instance's user, and nothing before it gets these variables:
 * some of them, LD_PRELOAD for one, would be instructions to programs that still run as the agent's.
 */
export function launchScript(launch: Launch): string {
  const [exported, ours]: [string[], string[]] = [[], []];
  for (const [name, value] of Object.entries(launch.environment)) {
    if (shellsOwn.test(name)) ours.push(`${name}=${value}`);
    else exported.push(`export ${name}=${quoted(value)}`);
  }
  const unset = setByShells.flatMap((name) => (name in launch.environment ? [] : ['-u', name]));
  const last = [launch.env, ...unset, ...ours, ...launch.command].map(quoted).join(' ');
  return `${['umask 022', `cd ${quoted(launch.directory)} || exit 126`, 'unset PATH', ...exported, `exec ${last} </dev/null`].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
