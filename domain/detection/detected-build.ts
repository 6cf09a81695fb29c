export interface Signal {
  /** The file that said it. */
  path: string;
  detail: string;
}

/** The findings in a source, as the API answers them. Texts are '' where there is nothing to say. */
export interface DetectedBuild {
  /** node, python, go, rust, java, static, dockerfile; '' if nothing was recognised. */
  provider: string;
  framework: string;
  packageManager: string;
  /** The version that the source demands. */
  packageManagerPinned: string;
  nodeVersion: string;
  installCommand: string;
  buildCommand: string;
  startCommand: string;
  /** The folder that is served, or that holds what was built; relative to the directory of the plan. */
  outputDir: string;
  /** 0 if it is unknown. */
  port: number;
  /** script, dockerfile, procfile, source, environment, framework, default; '' without a port. */
  portSource: string;
  static: boolean;
  monorepo: boolean;
  buildable: boolean;
  signals: Signal[];
}
