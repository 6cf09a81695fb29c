/** A variable of a service, its references put in. */
export interface BuildVariable {
  value: string;
  secret: boolean;
}

/** Variables as an agent gives them to a build. */
export interface GivenVariables {
  variables: Record<string, string>;
  /** Names of secret ones. */
  secrets: string[];
  /** A sentence for each that is left out. */
  left: string[];
}

/** All variables together: the kernel takes 2 MB of arguments and environment, and a quarter of that of old stacks. */
export const mostVariableBytes = 1_048_576;
/** The kernel takes no longer `NAME=value` than this, with its end. */
const longestAssignment = 131_071;

/**
 * Names that lead into the sandbox itself: its folders, its way out, and what programs load before they begin. A path of the
 * running service is not there in a build.
 */
const ofSandbox = new RegExp(
  [
    '^(PATH|HOME|TMPDIR|TMP|TEMP|PORT|PWD|OLDPWD|SHLVL|_|IFS|BASH_ENV|LD_.*|JAVA_TOOL_OPTIONS',
    'NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE',
    '(https?|all|no|ftp)_proxy|npm_config_(https_|http_)?proxy|npm_config_noproxy|YARN_HTTPS?_PROXY)$',
  ].join('|'),
  'i',
);
const isName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isOfSandbox(name: string): boolean {
  return ofSandbox.test(name) || !isName.test(name);
}

/** The variables that a build is given; of too many the largest are left out. */
export function givenToBuild(all: ReadonlyMap<string, BuildVariable>): GivenVariables {
  const left: string[] = [];
  const fitting = [...all].filter(([name, { value }]) => {
    if (isOfSandbox(name)) left.push(`${name} is the build's own: its value of the service counts when that runs.`);
    else if (bytesOf(name, value) > longestAssignment)
      left.push(`${name} has more than 128 kB, which no program can be given: the build does without it.`);
    else return true;
    return false;
  });
  const bySize = fitting.toSorted(([a, one], [b, other]) => bytesOf(a, one.value) - bytesOf(b, other.value));
  let bytes = 0;
  const given = bySize.filter(([name, { value }]) => {
    bytes += bytesOf(name, value);
    if (bytes <= mostVariableBytes) return true;
    left.push(`${name} is left out: the variables of a build have 1 MB together, and it is among the largest.`);
    return false;
  });
  const names = given.map(([name]) => name).toSorted();
  return {
    variables: Object.fromEntries(names.map((name) => [name, all.get(name)?.value ?? ''])),
    secrets: names.filter((name) => all.get(name)?.secret === true),
    left,
  };
}

function bytesOf(name: string, value: string): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
}
