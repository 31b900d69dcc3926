/** Exit codes: 0 stopped as asked, 1 failed, 2 wrong arguments or configuration. */
import { print, printError, tolerateClosedOutputs } from './app/outputs.ts';
import { version } from './app/version.ts';
import { serve } from './commands/serve.ts';
import { helpText, misuseText, parseCommandLine } from './config/command-line.ts';
import { ConfigError, listVariables } from './config/settings.ts';

async function main(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv);
  switch (line.command) {
    case 'help': return print(helpText(listVariables()));
    case 'version': return print(`alert-analyst ${version()}\n`);
    case 'misuse': return printError(misuseText(line.problem).trimEnd().split('\n'), 2);
    case 'serve': return serve(process.env);
    // The others are loaded only when they are called for: the service does not need them.
    case 'analyze': return (await import('./commands/analyze.ts')).runAnalyze(line, process.env);
    case 'analyze-now':
      return (await import('./commands/analyze-now.ts')).runAnalyzeNow(line, process.env);
    case 'replay': return (await import('./commands/replay.ts')).runReplay(line);
    case 'check-config':
      return (await import('./commands/check-config.ts')).checkConfig(process.env);
    case 'check-model':
      return (await import('./commands/check-model.ts')).runCheckModel(process.env);
    case 'drill': return (await import('./commands/drill.ts')).runDrill(process.env);
  }
}

async function exitCodeOf(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    if (error instanceof ConfigError) return printError(error.message.split('\n'), 2);
    throw error;
  }
}

tolerateClosedOutputs();
process.exitCode = await exitCodeOf(process.argv.slice(2));
