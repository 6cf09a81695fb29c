import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { installCommand } from './operations.ts';

test('gives the token on standard input and to nobody else', () => {
  expect(installCommand('https://ballast.example.com', { slug: 'berlin' }, 'bje_x', undefined)).toBe(
    `printf '%s\\n' 'bje_x' | sh -c "$(curl -fsSL 'https://ballast.example.com/agent/v1/install.sh' || echo exit 1)" ballast-install`,
  );
});

test('names the key that the machine shall trust', () => {
  const command = installCommand('https://ballast.example.com', { slug: 'berlin' }, 'bje_x', 'ab'.repeat(32));
  expect(command).toMatch(new RegExp(` ballast-install --trust ${'ab'.repeat(32)}$`));
});

test.each(['http://localhost:8088', 'http://127.0.0.1:8088', 'http://[::1]:8088'])(
  'beside the local cluster, where only this machine reaches %s',
  (url) => {
    expect(installCommand(url, { slug: 'berlin' }, 'bje_x', undefined)).toMatch(
      / ballast-install --home "\$HOME\/ballast-agent-berlin" --ingress-port 0$/,
    );
  },
);

test('is what a shell takes it for', () => {
  const command = installCommand('http://localhost:8088', { slug: 'berlin' }, `it's`, undefined).replace(
    /\$\(curl[^)]*\)/,
    'cat; echo $1 $2 $3 $4',
  );
  const said = execFileSync('sh', ['-c', command.replaceAll('$1 $2', '\\$1 \\$2').replaceAll('$3 $4', '\\$3 \\$4')], {
    env: { ...process.env, HOME: '/home/ada' },
    encoding: 'utf8',
  });
  expect(said).toBe("it's\n--home /home/ada/ballast-agent-berlin --ingress-port 0\n");
});
