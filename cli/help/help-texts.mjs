// The texts of `./ballast help`, `--help` and `--version`. Runs without packages on any Node.

/**
 * @param {() => { commands: any[], settings: any[] }} known
 * @param {() => string} version
 */
export function helpTexts(known, version) {
  return { helpFor, namesCommand };

  /**
   * The text to print if these words ask for help or the version; undefined if they ask for something else.
   * @param {string[]} args
   */
  function helpFor(args) {
    const [first, ...rest] = args;
    if (first === '--version') return version();
    if (first === undefined || first === '--help' || first === '-h') return overview();
    if (first === 'help') return answerHelp(rest);
    // Words behind `--`, and behind `exec PROGRAM`, are for another program.
    if (first === 'exec' && !rest[0]?.startsWith('-')) return undefined;
    const ours = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    return ours.includes('--help') || ours.includes('-h')
      ? about(ours.filter((word) => !word.startsWith('-')))
      : undefined;
  }

  /**
   * Whether these words begin with a command; without packages nothing needs to be installed to refuse what is none.
   * @param {string[]} args
   */
  function namesCommand(args) {
    // First, because this is also how help.json is made.
    return (
      args[0] === 'exec' ||
      find(args) !== undefined ||
      known().commands.some(({ name }) => name.startsWith(`${args[0]} `))
    );
  }

  function answerHelp(args) {
    const [option] = args;
    if (option === undefined || option === '--help' || option === '-h') return overview();
    if (option === '--json') return `${JSON.stringify(known(), undefined, 2)}\n`;
    if (option === '--markdown') return settingsAsMarkdown();
    if (option.startsWith('-'))
      throw usage(`There is no option ${option}; \`./ballast help\` has --json and --markdown.`);
    return about(args);
  }

  function find(words) {
    const { commands } = known();
    const named = (name) => commands.find((command) => command.name === name);
    return named(words.slice(0, 2).join(' ')) ?? named(words[0]);
  }

  function about(words) {
    const found = find(words);
    if (found) return describe(found);
    const group = known().commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    if (group.length === 0) throw usage(`There is no command "${words.join(' ')}"; see \`./ballast help\`.`);
    return `Usage: ./ballast ${words[0]} <command>\n\n${listed(group)}`;
  }

  function describe({ name, summary, usage: rest, details, options }) {
    const width = Math.max(...options.map(({ flag }) => flag.length));
    const lines = options.map(({ flag, what }) => `  ${flag.padEnd(width)}  ${what}\n`).join('');
    const words = ['Usage: ./ballast', name, rest].filter((word) => word !== '').join(' ');
    return `${summary}.\n${details === '' ? '' : `\n${details}\n`}\n${words}\n\n${lines}`;
  }

  function overview() {
    const { commands, settings } = known();
    const width = Math.max(...settings.map(({ name }) => name.length));
    const lines = settings.map(({ name, what, default: fallback, example }) => {
      const shown = fallback === null ? `for example ${example}` : `default: ${fallback}`;
      return `  ${name.padEnd(width)}  ${what}\n  ${''.padEnd(width)}  (${shown})\n`;
    });
    return `Usage: ./ballast <command>, and ./ballast help <command> for more.\n\nCommands\n${listed(commands)}\nSettings (environment variables)\n${lines.join('')}`;
  }

  function listed(commands) {
    const width = Math.max(...commands.map(({ name }) => name.length));
    return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
  }

  /** The table in docs/operating.md. */
  function settingsAsMarkdown() {
    const rows = known().settings.map(({ name, what, value, default: fallback, secret }) => [
      `\`${name}\``,
      `${what}${secret ? ' A secret.' : ''}`,
      value.replaceAll('|', '\\|'),
      fallback === null ? '' : `\`${fallback}\``,
    ]);
    const header = ['Setting', 'What it does', 'Value', 'Default'];
    return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  }
}

/** Somebody typed what we do not know. */
function usage(sentence) {
  return Object.assign(new Error(sentence), { exitCode: 2 });
}
