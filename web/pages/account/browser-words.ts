const browsers: readonly [pattern: RegExp, name: string][] = [
  // Those that call themselves by the names of others come first.
  [/\bEdgA?(?:iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
  [/^curl\/(\d+)/, 'curl'],
];

const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Browser and system from a user agent: "Firefox 140 on Linux". */
export function browserWords(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === '') return 'Unknown browser';
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    return `${name} ${version}${system === undefined ? '' : ` on ${system}`}`;
  }
  return system === undefined ? userAgent.slice(0, 80) : `Browser on ${system}`;
}
