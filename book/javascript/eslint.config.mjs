// ESLint's recommended rules for the labs' modules, for the scripts of the site and of slides, and for what the tests run in a browser.
import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["**/labs/js/*.js"],
    languageOptions: { sourceType: "module", globals: globals.browser },
    rules: { "prefer-const": "error", eqeqeq: "error", "no-var": "error", "no-shadow": "off" },
  },
  {
    files: ["**/static/*.js", "**/site/*.js", "**/slides/*.js"],
    languageOptions: {
      sourceType: "script",
      globals: {
        ...globals.browser,
        katex: "readonly",
        MiniSearch: "readonly",
        SEARCH_INDEX: "readonly",
        searchRanking: "readonly",
        searchWords: "readonly",
      },
    },
    rules: { "prefer-const": "error", eqeqeq: "error", "no-var": "error" },
  },
];
