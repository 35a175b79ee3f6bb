"""
The same chain in other engines, each in the fastest form it has: prepared once, asked with a dict.

A builder returns a function facts -> index. What an engine needs to convert is part of its cost.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable

Decide = Callable[[dict[str, object]], object]

C = (
    'state == "OPEN" ? 0 : percent >= 80.0 ? 1 : confidence < 70 ? 2 : errors > 5 ? 3 : '
    "total > 0 && done == total ? 4 : stagnation >= 3 ? 5 : -1"
)
PYTHON = (
    "0 if state == 'OPEN' else 1 if percent >= 80 else 2 if confidence < 70 else 3 if errors > 5 else "
    "4 if total > 0 and done == total else 5 if stagnation >= 3 else -1"
)
REGO = """package chain
import rego.v1
index := 0 if { input.state == "OPEN" }
else := 1 if { input.percent >= 80 }
else := 2 if { input.confidence < 70 }
else := 3 if { input.errors > 5 }
else := 4 if { input.total > 0; input.done == input.total }
else := 5 if { input.stagnation >= 3 }
else := -1
"""


def _var(name: str) -> dict[str, object]:
    return {"var": name}


LOGIC = {"if": [
    {"==": [_var("state"), "OPEN"]}, 0, {">=": [_var("percent"), 80]}, 1, {"<": [_var("confidence"), 70]}, 2,
    {">": [_var("errors"), 5]}, 3,
    {"and": [{">": [_var("total"), 0]}, {"==": [_var("done"), _var("total")]}]}, 4,
    {">=": [_var("stagnation"), 3]}, 5, -1,
]}  # fmt: skip
CEDAR = (
    'context.state == "OPEN"', "context.percent >= 80", "context.confidence < 70", "context.errors > 5",
    "context.total > 0 && context.done == context.total", "context.stagnation >= 3",
)  # fmt: skip


def rust_cel() -> Decide:
    import cel

    return cel.compile(C).execute


def cpp_cel() -> Decide:
    from cel_expr_python import cel

    kinds = {"state": cel.Type.STRING, "percent": cel.Type.DOUBLE}
    names = ("state", "percent", "confidence", "errors", "total", "done", "stagnation")
    env = cel.NewEnv(variables={name: kinds.get(name, cel.Type.INT) for name in names})
    expression = env.compile(C)
    return lambda facts: expression.eval(data=facts).plain_value()


def python_cel() -> Decide:
    import celpy

    env = celpy.Environment(runner_class=celpy.CompiledRunner)
    program = env.program(env.compile(C))
    return lambda facts: int(program.evaluate(celpy.json_to_cel(facts)))


def zen() -> Decide:
    import zen

    expression = zen.compile_expression(C.replace("&&", "and"))
    return lambda facts: int(expression.evaluate(facts))


def rule_engine() -> Decide:
    import rule_engine

    nested = C.replace("&&", "and").replace(" : ", " : (").replace("80.0", "80") + ")" * 6
    rule = rule_engine.Rule(nested)
    return lambda facts: int(rule.evaluate(facts))


def simpleeval() -> Decide:
    import simpleeval

    evaluator = simpleeval.SimpleEval()
    parsed = evaluator.parse(PYTHON)

    def decide(facts: dict[str, object]) -> object:
        evaluator.names = facts
        return evaluator.eval(PYTHON, previously_parsed=parsed)

    return decide


def asteval() -> Decide:
    import asteval

    interpreter = asteval.Interpreter(minimal=True, with_ifexp=True)
    parsed = interpreter.parse(PYTHON)

    def decide(facts: dict[str, object]) -> object:
        interpreter.symtable.update(facts)
        return interpreter.run(parsed)

    return decide


def evalidate() -> Decide:
    import evalidate

    model = evalidate.base_eval_model.clone()
    model.nodes.extend(("IfExp", "USub", "UnaryOp", "Compare", "Eq", "GtE", "Gt", "Lt", "And", "BoolOp"))
    expression = evalidate.Expr(PYTHON, model=model)
    return expression.eval


def datalogic() -> Decide:
    import datalogic_py

    rule = datalogic_py.Engine().compile(LOGIC)
    return rule.evaluate


def json_logic() -> Decide:
    from json_logic import jsonLogic

    return lambda facts: jsonLogic(LOGIC, facts)


def jsonlogic_rs() -> Decide:
    from jsonlogic_rs import apply

    return lambda facts: apply(LOGIC, facts)


def regorus() -> Decide:
    import regorus

    engine = regorus.Engine()
    engine.add_policy("chain.rego", REGO)

    def decide(facts: dict[str, object]) -> object:
        engine.set_input(facts)
        return engine.eval_rule("data.chain.index")

    return decide


def opa() -> Decide:
    from opa_bindings.engine import OpaEngine

    engine = OpaEngine()
    engine.add_policy("chain.rego", REGO)
    return lambda facts: engine.eval_document("chain.index", facts)


def cedar() -> Decide:
    import cedarpy

    text = "permit(principal, action, resource);\n" + "".join(
        f"forbid(principal, action, resource) when {{ {condition} }};\n" for condition in CEDAR
    )
    policies, entities = cedarpy.PolicySet.from_str(text), cedarpy.Entities.from_json_str("[]")
    request = {"principal": 'User::"a"', "action": 'Action::"a"', "resource": 'Loop::"a"'}

    def decide(facts: dict[str, object]) -> object:
        context = {**facts, "percent": int(facts["percent"])}  # Cedar has no floating point
        result = cedarpy.is_authorized({**request, "context": context}, policies, entities)
        return min(int(reason.removeprefix("policy")) for reason in result.diagnostics.reasons) - 1

    return decide


#: Distribution -> (name in the table, builder, the goal: at least this many times our time, or None).
PEERS: dict[str, tuple[str, Callable[[], Decide], float | None]] = {
    "common-expression-language": ("Rust CEL, one ternary", rust_cel, 6.0),
    "zen-engine": ("zen-engine, one ternary", zen, 1.0),
    "simpleeval": ("simpleeval, parsed once", simpleeval, 9.0),
    "rule-engine": ("rule-engine, one ternary", rule_engine, 1.0),
    "cel-python": ("cel-python, CompiledRunner", python_cel, 1.0),
    "cedarpy": ("cedarpy, policies parsed once", cedar, 1.0),
    "opa-golib-python-bindings": ("OPA (Go), prepared", opa, 80.0),
    "cel-expr-python": ("C++ CEL, one ternary", cpp_cel, 1.0),
    "celine-regorus": ("regorus, dict in", regorus, 1.0),
    "datalogic-py": ("datalogic-py, compiled", datalogic, 1.0),
    "json-logic-qubit": ("json-logic-qubit", json_logic, 1.0),
    "jsonlogic-rs": ("jsonlogic-rs", jsonlogic_rs, 1.0),
    "asteval": ("asteval, parsed once", asteval, 1.0),
    "evalidate": ("evalidate, compiled", evalidate, 1.0),
}


def version(distribution: str) -> str:
    return importlib.metadata.version(distribution)
