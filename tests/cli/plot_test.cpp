// `mercer plot`: pages and pictures of a model.

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "cli/session.h"

namespace mercer {
namespace {

class PlotCommand : public testing::Session {
 protected:
  void SetUp() override {
    std::string table = "x,y,note,kind\n";
    for (int i = 0; i < 120; ++i) {
      const double radius = i % 2 == 0 ? 1 : 3;
      table += fmt::format("{:.6f},{:.6f},{},{}\n", radius * std::cos(0.37 * i),
                           radius * std::sin(0.37 * i), i, i % 2 == 0 ? "</script>" : "outer");
      labels_ += i % 2 == 0 ? "10\n" : "9\n";
    }
    write("t.csv", table);
    write("labels.txt", labels_);
    done("fit t.csv -o m.mercer --label-column last --ignore-columns note --components 3 -q");
  }

  void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }

  /// A browser of our own making: a shell script.
  testing::Outcome with_browser(const std::string& script, const std::string& words) {
    write("browser", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder_ / "browser", std::filesystem::perms::owner_all);
    return mercer_says(words,
                       {.environment = {{"MERCER_BROWSER", (folder_ / "browser").string()}}});
  }

  std::string labels_;
};

TEST_F(PlotCommand, AModelAloneShowsWhatItExplains) {
  EXPECT_EQ(done("plot m.mercer -o p.html"), "p.html: what the components explain\n");
  const std::string page = read("p.html");
  expect_in(page, "<title>m.mercer</title>");
  expect_in(page, R"("scatter":null,"contours":null)");
  expect_in(page, R"("explained_variance_ratio": [)");
  expect_in(page, "default-src 'none'");
}

TEST_F(PlotCommand, RowsOfAPlaneAreDrawnWithTheirLabelsAndContours) {
  const std::string said = done("plot m.mercer t.csv --label-column kind -o p.html");
  expect_in(said, "components 1 and 2 of 120 rows, contours of 3");
  const std::string page = read("p.html");
  expect_in(page, R"("components":[1,2])");
  expect_in(page, R"("labels":[0,1,0,1,)");
  expect_in(page, R"("classes":["\u003c/script>","outer"],"of":120)");
  expect_in(page, R"("axes":["x","y"])");
  expect_in(page, "<title>m.mercer on t.csv</title>");
  done("plot m.mercer t.csv --label-column last -o last.html");
  EXPECT_EQ(read("last.html"), page);
}

TEST_F(PlotCommand, ComponentsLabelsTitleAndContoursAreChosen) {
  done(
      "plot m.mercer t.csv --labels labels.txt --components 3,1 --contours 0 --title A&B "
      "-q -o p.html");
  const std::string page = read("p.html");
  expect_in(page, R"("components":[3,1])");
  expect_in(page, R"("classes":["10","9"])");
  expect_in(page, R"("contours":null)");
  expect_in(page, "<h1>A&amp;B</h1>");
}

TEST_F(PlotCommand, MorePointsThanAskedForAreSampledBySeed) {
  const std::string said = done("plot m.mercer t.csv --max-points 50 --contours 0 -o a.html");
  expect_in(said, "50 rows drawn from 120");
  expect_in(read("a.html"), R"("of":120)");
  done("plot m.mercer t.csv --max-points 50 --contours 0 -q -o b.html");
  EXPECT_EQ(read("a.html"), read("b.html"));
  done("plot m.mercer t.csv --max-points 50 --contours 0 -q --seed 1 -o c.html");
  EXPECT_NE(read("a.html"), read("c.html"));
}

TEST_F(PlotCommand, SampledRowsKeepTheirLabels) {
  // The first component, uncentred, is near x: small for kind a and large for b.
  write("two.csv", "x,y,kind\n0,0,a\n1,2,a\n100,1,b\n101,3,b\n");
  done("fit two.csv -o l.mercer --kernel linear --no-center --label-column kind -q");
  for (int seed = 0; seed < 8; ++seed) {
    done(
        fmt::format("plot l.mercer two.csv --label-column kind --max-points 1 --contours 0 -q "
                    "--seed {} -o p.html",
                    seed));
    const std::string page = read("p.html");
    const std::size_t at = page.find("\"points\":[[") + 11;
    const bool is_far = std::abs(std::stod(page.substr(at, 12))) > 50;
    expect_in(page, is_far ? R"("labels":[1])" : R"("labels":[0])");
  }
}

TEST_F(PlotCommand, EveryKindOfModelIsDrawn) {
  write("n.csv", "1,2,3\n4,5,7\n2,2,1\n0,4,4\n1,1,3\n");
  done("fit n.csv -o n.mercer --method akfa --components 2 -q");
  done("plot n.mercer n.csv -q -o n.html");
  expect_in(read("n.html"), R"("contours":null)");
  done("fit t.csv -o d.mercer --method diffusion_maps --label-column 4 --ignore-columns 3 -q");
  write("far.csv", "x,y\n1,0\n1e6,1e6\n");
  done("plot d.mercer far.csv -q -o d.html");
  expect_in(read("d.html"), "[null,null]");
  done("fit t.csv -o r.mercer --method random_features --label-column 4 --ignore-columns 3 -q");
  done("plot r.mercer t.csv -q -o r.html");
}

TEST_F(PlotCommand, ABrowserMakesThePicture) {
  const std::string script =
      "for word; do case $word in\n"
      "  --dump-dom) echo '<html data-height=\"700\">' ;;\n"
      "  --window-size=*) size=$word ;;\n"
      "  --screenshot=*) printf '\\211PNG %s' \"$size\" > \"${word#*=}\" ;;\n"
      "esac; done\n";
  const testing::Outcome outcome = with_browser(script, "plot m.mercer --png p.png -q");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read("p.png"), "\x89PNG --window-size=1200,700");
}

TEST_F(PlotCommand, BrowsersThatFailAreNamedAndNothingIsWritten) {
  const auto expect_failure = [&](const std::string& script, const std::string& text) {
    const testing::Outcome outcome = with_browser(script, "plot m.mercer --png p.png -o p.html");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("p.png"));
    EXPECT_FALSE(exists("p.html"));
  };
  expect_failure("echo no display >&2; exit 3\n", "ended with code 3: no display");
  expect_failure("true\n", "does not draw the page");
  expect_failure("echo '<html data-height=\"700\">'\n", "made no picture");
  const testing::Outcome none =
      mercer_says("plot missing.mercer --png p.png", {.environment = {{"PATH", "/missing"}}});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.err.find("install chromium"), std::string::npos) << none.err;
  const testing::Outcome wrong = mercer_says(
      "plot m.mercer --png p.png", {.environment = {{"MERCER_BROWSER", "/missing/browser"}}});
  EXPECT_NE(wrong.err.find("MERCER_BROWSER names '/missing/browser'"), std::string::npos);
}

TEST_F(PlotCommand, MistakesAreNamed) {
  expect_error("plot", 2, "FILES is required");
  expect_error("plot m.mercer", 2, "nowhere to write");
  expect_error("plot m.mercer t.csv other.csv -o p.html", 2, "unexpected argument 'other.csv'");
  expect_error("plot m.mercer t.csv -o t.csv", 2, "would replace 't.csv'");
  expect_error("plot m.mercer -o missing/p.html", 1, "cannot write");
  expect_error("plot m.mercer -o p.html --components 1,2", 2, "name the data after the model");
  expect_error("plot m.mercer t.csv -o p.html --components 1,4", 2, "the model has 1 to 3");
  expect_error("plot m.mercer t.csv -o p.html --components 0,1", 2, "no component 0");
  expect_error("plot m.mercer t.csv -o p.html --components 2,2", 2, "twice");
  expect_error("plot m.mercer t.csv -o p.html --components 2", 2, "two numbers");
  expect_error("plot m.mercer t.csv -o p.html --components 1,2,3", 2, "two numbers");
  expect_error("plot m.mercer t.csv -o p.html --max-points 0", 2, "no point");
  expect_error("plot m.mercer t.csv -o p.html --label-column x", 2, "leaves out");
  expect_error("plot m.mercer t.csv -o p.html --label-column none", 2, "leaves out");
  expect_error("plot m.mercer t.csv -o p.html --label-column note", 1, "120 classes");
  write("few.txt", "a\nb\n");
  expect_error("plot m.mercer t.csv -o p.html --labels few.txt", 1, "2 labels, but t.csv has 120");
  expect_error("plot t.csv -o p.html", 1, "not a mercer file");
  done("summarize t.csv --method shadow --label-column 4 --ignore-columns 3 -o c.part --gamma 1");
  expect_error("plot c.part -o p.html", 1, "holds a cover, not a model");
  done("fit t.csv -o one.mercer --label-column 4 --ignore-columns 3 --components 1 -q");
  expect_error("plot one.mercer t.csv -o p.html", 2, "one component");
  write("n.csv", "1,2,3\n4,5,7\n2,2,1\n0,4,4\n");
  done("fit n.csv -o n.mercer --components 2 -q");
  expect_error("plot n.mercer n.csv -o p.html --contours 2", 2, "those of the model have 3");
  expect_error("plot n.mercer n.csv -o p.html --label-column last", 2, "uses every column");
  EXPECT_FALSE(exists("p.html"));
}

}  // namespace
}  // namespace mercer
