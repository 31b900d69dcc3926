/**
 * Tries out the configured model with everything an investigation needs: a plain answer, a tool
 * call and the use of its result, an answer in a given JSON shape, a text as long as a case, room
 * and time to think. So a server that deviates from its interface is found before an incident.
 */
import { modelAccess } from '../app/connections.ts';
import { print, printError } from '../app/outputs.ts';
import { loadModel } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';
import { commandClock, type Clock } from '../lib/clock.ts';
import { FormatError, number } from '../lib/parse.ts';
import { systemRandom, type Random } from '../lib/random.ts';
import { bad, good, StepPrinter, type StepOutcome } from '../lib/step-printer.ts';
import { unfenced } from '../model/answer/json-in-text.ts';
import type {
  Model, ModelReply, ModelRequest, ToolSpec, Turn,
} from '../model/client/conversation.ts';
import { baseUrlOf, isSentInClear, type ModelAccess } from '../model/client/model-access.ts';
import { ModelClient, type ModelCall, type ModelMemory } from '../model/client/model-client.ts';
import { ModelError } from '../model/client/model-error.ts';
import { cleanText } from '../model/client/thrown.ts';
import { formText } from '../model/investigation/prompts.ts';
import { isToolCallText } from '../model/investigation/tool-call-text.ts';
import { choiceShape, objectShape } from '../model/shape.ts';
import { textArgument } from '../model/tools/argument.ts';

interface CheckOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly print: (text: string) => void;
  /** Most tokens of one answer, as configured. */
  readonly outputTokens: number;
}

interface Session {
  readonly model: Model;
  readonly outputTokens: number;
  readonly access: ModelAccess;
  readonly asked: ModelCall[];
}

export async function runCheckModel(environment: Environment): Promise<number> {
  const { model } = loadModel(environment);
  if (model === null) {
    const variables = 'MODEL_PROVIDER, MODEL_NAME and MODEL_API_KEY';
    return printError([`No model is configured. Set ${variables}.`], 1);
  }
  const access = modelAccess(model);
  const options = {
    clock: commandClock, random: systemRandom, print, outputTokens: model.outputTokens,
  };
  return (await checkModel(access, options)) ? 0 : 1;
}

/** Whether every check passes. Prints a line for each, and at the end which settings to change. */
export async function checkModel(access: ModelAccess, options: CheckOptions): Promise<boolean> {
  const { clock, random, print, outputTokens } = options;
  const asked: ModelCall[] = [];
  const memory: ModelMemory = { learned: {} };
  const model = new ModelClient(access, {
    clock, random, memory, onAsked: (each) => asked.push(each),
  });
  print(`Model ${cleanText(access.name, access)} at ${baseUrlOf(access)} (${access.provider}).\n`);
  if (access.apiKey !== null && isSentInClear(access)) {
    print('Warning: MODEL_URL is plain HTTP: the key crosses the network unencrypted.\n');
  }
  const session = { model, access, asked, outputTokens };
  const trial = new StepPrinter(print);
  const answers = trial.print('Answer', await outcomeOf(() => checkAnswer(session), access));
  if (answers) {
    trial.print('Tools', await outcomeOf(() => checkTools(session), access));
    trial.print('Shape', await outcomeOf(() => checkShape(session), access));
    trial.print('Context', await outcomeOf(() => checkContext(session), access));
    for (const line of workaroundsIn(memory)) trial.note('Note', line);
    trial.note('Cost', costOf(asked));
  }
  return trial.conclude('The model does everything that an investigation needs.');
}

async function outcomeOf(
  check: () => Promise<StepOutcome>,
  access: ModelAccess,
): Promise<StepOutcome> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return bad(cleanText(error.message, access), error.hint);
  }
}

function ask(
  { model, outputTokens: maxOutput }: Session,
  turns: readonly Turn[],
  rest: Partial<Pick<ModelRequest, 'tools' | 'schema'>> = {},
): Promise<ModelReply> {
  const system = 'You are part of a test of this interface. Do exactly as you are asked, briefly.';
  const { signal } = new AbortController();
  return model.ask({ system, turns, tools: [], schema: null, maxOutput, signal, ...rest });
}

async function checkAnswer(session: Session): Promise<StepOutcome> {
  const reply = await ask(session, [{ role: 'user', text: 'Answer with the word "ready".' }]);
  const { asked: [first], access } = session;
  const seconds = (first?.seconds ?? 0).toFixed(1);
  if (reply.text.trim() !== '') {
    const named = reply.model === '' ? 'an unnamed model' : cleanText(reply.model, access);
    return good(`${named} answered in ${seconds} s.`);
  }
  if (reply.stop === 'length') {
    return bad(`the model used up ${session.outputTokens} tokens without answering.`, moreOutput);
  }
  return bad(`the answer is empty (${reply.stop}).`, 'Choose another MODEL_NAME.');
}

const moreOutput = 'Raise MODEL_OUTPUT_TOKENS, lower MODEL_EFFORT, or choose a MODEL_NAME that ' +
  'thinks less before it answers.';

const gauge: ToolSpec = {
  name: 'read_gauge',
  description: 'Reads the value of a gauge.',
  schema: objectShape({ name: textArgument(100, 'Name of the gauge.') }).schema,
};
const value = 7413;
const noTools = 'Choose a MODEL_NAME that can call tools. Without them a model sees only the ' +
  'evidence collected beforehand.';

/** Asks for a value that only the tool knows, and checks that the answer has it. */
async function checkTools(session: Session): Promise<StepOutcome> {
  const text = 'Call read_gauge with the name "pressure". Then answer with its value alone.';
  const question: Turn = { role: 'user', text };
  const { text: answered, calls, own } = await ask(session, [question], { tools: [gauge] });
  const [call] = calls;
  if (call === undefined) {
    if (isToolCallText(answered)) return bad('it writes the tool call as plain text.', noTools);
    return bad('it does not call the tool.', noTools);
  }
  if (calls.some(({ name, argumentsError }) => name !== gauge.name || argumentsError !== null)) {
    return bad('it calls an unknown tool, or with malformed arguments.', noTools);
  }
  const results = calls.map(({ id }) => ({ id, text: String(value), isError: false }));
  const turns: readonly Turn[] = [
    question,
    { role: 'assistant', text: answered, calls, own },
    { role: 'tool_results', results },
  ];
  const reply = await ask(session, turns, { tools: [gauge] });
  if (reply.text.replace(/[,.\s]/g, '').includes(String(value))) {
    return good('it calls a tool and uses the result.');
  }
  return bad('it calls the tool, but its answer lacks the result.', noTools);
}

const reading = objectShape({
  verdict: choiceShape('high', 'low'), value: { schema: { type: 'number' }, read: number },
});

async function checkShape(session: Session): Promise<StepOutcome> {
  const text = `The pressure is ${value}; above 100 is high. Give verdict and value as JSON.\n\n` +
    formText(reading.schema);
  const reply = await ask(session, [{ role: 'user', text }], {
    schema: { name: 'reading', schema: reading.schema },
  });
  const hint = 'Choose a MODEL_NAME that can answer in JSON of a given shape.';
  if (reply.stop === 'length') {
    return bad(`its answer was cut off at ${session.outputTokens} tokens.`, moreOutput);
  }
  const problem = mismatchOf(reply.text);
  return problem === null ? good('it answers in the requested JSON shape.') : bad(problem, hint);
}

/** About 12 000 tokens: as long as a case with the answers of a few tools. */
const longText = Array.from({ length: 1200 }, (_, line) =>
  `Line ${line}: nothing of note happened here today.`).join('\n');
const firstWord = 'quartz';
/** Requests of that length that a narrative takes, or more. */
const requestsExpected = 6;

/** Whether the start of a long text reaches the model: some servers cut it off without a word. */
async function checkContext(session: Session): Promise<StepOutcome> {
  const { asked, access } = session;
  const question = 'Which word was named first? Answer with it.';
  const text = `The word is "${firstWord}".\n${longText}\n${question}`;
  const reply = await ask(session, [{ role: 'user', text }]);
  const enlarge = 'Enlarge the context of the model on its server to 32 000 tokens or more ' +
    '(Ollama: OLLAMA_CONTEXT_LENGTH), or choose a MODEL_NAME with a larger one.';
  const { usage, seconds = 0 } = asked.at(-1) ?? {};
  if (!reply.text.toLowerCase().includes(firstWord)) {
    const counted = usage?.input === undefined ? '' : `; its server counted ${usage.input}`;
    return bad(`of 12 000 tokens it does not know the first${counted}.`, enlarge);
  }
  const allowed = 2 * access.requestMs / 1000;
  const needed = Math.ceil(seconds * requestsExpected);
  return needed <= allowed ? good(`it reads 12 000 tokens, in ${seconds.toFixed(1)} s.`) : bad(
    `a request of 12 000 tokens took ${seconds.toFixed(0)} s; an investigation makes several.`,
    `Set MODEL_TIMEOUT_SECONDS to ${needed} or more, or choose a faster MODEL_NAME.`,
  );
}

/** Null for an answer of the right shape. */
function mismatchOf(answer: string): string | null {
  try {
    reading.read(JSON.parse(unfenced(answer)), 'answer');
    return null;
  } catch (error) {
    if (error instanceof FormatError) return `${error.message}.`;
    if (error instanceof SyntaxError) return 'its answer is not JSON.';
    throw error;
  }
}

/** Deviations of the server that were worked around, in words. None needs action. */
function workaroundsIn({ learned }: ModelMemory): readonly string[] {
  const lines: readonly (readonly [boolean, string])[] = [
    [learned.structured !== undefined, 'JSON schemas are not supported; answers are checked here.'],
    [learned.reasoningEffort === 'none', 'With tools the model cannot reason on this interface; ' +
      'MODEL_PROVIDER=openai may work better.'],
    [learned.cacheMarks === false, 'Prompt caching is not supported: each request costs in full.'],
    [learned.systemRole === false, 'System prompts are not supported; user messages are used.'],
  ];
  return lines.filter(([isSo]) => isSo).map(([, line]) => line);
}

function costOf(asked: readonly ModelCall[]): string {
  const known = asked.map(({ usage }) => usage).filter((usage) => usage !== null);
  const seconds = asked.reduce((sum, each) => sum + each.seconds, 0).toFixed(1);
  const requests = asked.reduce((sum, { attempts }) => sum + attempts, 0);
  const sent = `${requests} requests, ${seconds} s`;
  if (known.length === 0) return `${sent}; the server reports no tokens.`;
  const input = known.reduce((sum, usage) => sum + usage.input, 0);
  const output = known.reduce((sum, usage) => sum + usage.output, 0);
  return `${sent}, ${input} input and ${output} output tokens.`;
}
