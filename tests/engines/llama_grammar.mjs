// Asks llama.cpp's own grammar code, in the addon of node-llama-cpp, which texts a GBNF accepts.
//
// Reads JSON lines {"grammar", "texts"} and answers each with {"accepts": [true or false, …]} or
// {"refused": "why"}, after a first line {"ready": true}. No model is loaded: the grammar alone
// decides.

import { createInterface } from "node:readline";

import { LlamaGrammar, getLlama } from "node-llama-cpp";

const llama = await getLlama({
    gpu: false, build: "never", logLevel: "disabled", progressLogs: false,
});
process.stdout.write(JSON.stringify({ ready: true }) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
    const { grammar, texts } = JSON.parse(line);
    let answer;
    try {
        const read = new LlamaGrammar(llama, { grammar });
        answer = { accepts: texts.map((text) => read._testText(text)) };
    } catch (error) {
        answer = { refused: String(error) };
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
